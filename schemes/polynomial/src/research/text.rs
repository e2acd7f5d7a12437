//! The text form of polynomials: `3*x0^2*x1 - x2`.

use super::{
    error::FunctionError,
    function::{admissible, too_many_terms, Polynomial, MAX_TERMS},
    monomial::Monomial,
};
use std::fmt;

impl Polynomial {
    /// Parses a sum of terms such as `3*x0^2*x1 - x2`. Each term is an integer, powers of variables, or both, joined by
    /// `*`. Spaces are ignored.
    ///
    /// # Errors
    /// [`FunctionError::Unreadable`] with the position of the first error, or an error of [`new`](Self::new).
    pub fn parse(variables: u32, text: &str) -> Result<Self, FunctionError> {
        let mut scanner = Scanner { text, at: 0 };
        let mut terms = Vec::new();
        let mut negative = scanner.take('-');
        loop {
            // Checked here, before `new`: the input must not allocate more terms than a function may have.
            if terms.len() == MAX_TERMS {
                return Err(too_many_terms(MAX_TERMS + 1));
            }
            terms.push(scanner.term(negative)?);
            if scanner.is_at_end() {
                return Self::new(variables, terms);
            }
            negative = scanner.take('-');
            if !negative && !scanner.take('+') {
                return Err(scanner.unreadable());
            }
        }
    }
}

/// A text and the parsing position.
struct Scanner<'a> {
    text: &'a str,
    at: usize,
}

impl Scanner<'_> {
    fn rest(&mut self) -> &str {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let trimmed = rest.trim_start_matches(' ');
        self.at += rest.len() - trimmed.len();
        trimmed
    }

    fn is_at_end(&mut self) -> bool {
        self.rest().is_empty()
    }

    /// Consumes the next character if it is this one.
    fn take(&mut self, character: char) -> bool {
        let found = self.rest().starts_with(character);
        if found {
            self.at += character.len_utf8();
        }
        found
    }

    fn unreadable(&self) -> FunctionError {
        FunctionError::Unreadable { at: self.at }
    }

    /// Parses digits, if there are any.
    fn number(&mut self) -> Option<u64> {
        let rest = self.rest();
        let end = rest.find(|c: char| !c.is_ascii_digit());
        let digits = &rest[..end.unwrap_or(rest.len())];
        let (number, length) = (digits.parse().ok()?, digits.len());
        self.at += length;
        Some(number)
    }

    fn term(&mut self, negative: bool) -> Result<(Monomial, i64), FunctionError> {
        let mut variables = Vec::new();
        let mut coefficient = 1i128;
        match self.number() {
            Some(number) => coefficient = number.into(),
            None => self.power(&mut variables)?,
        }
        while self.take('*') {
            self.power(&mut variables)?;
        }
        if negative {
            coefficient = -coefficient;
        }
        let coefficient = i64::try_from(coefficient).map_err(|_| self.unreadable())?;
        Ok((Monomial::new(variables), coefficient))
    }

    /// A variable with or without an exponent from 1 to 255.
    fn power(&mut self, variables: &mut Vec<u32>) -> Result<(), FunctionError> {
        if !self.take('x') {
            return Err(self.unreadable());
        }
        let variable = self.number().and_then(|v| u32::try_from(v).ok());
        let variable = variable.ok_or_else(|| self.unreadable())?;
        let mut exponent = 1u8;
        if self.take('^') {
            let read = self.number().and_then(|e| u8::try_from(e).ok());
            exponent = read.filter(|e| *e > 0).ok_or_else(|| self.unreadable())?;
        }
        let exponent = usize::from(exponent);
        let degree = (variables.len() + exponent) as u64;
        admissible("the degree", degree, u8::MAX.into())?;
        variables.extend(std::iter::repeat_n(variable, exponent));
        Ok(())
    }
}

impl fmt::Display for Monomial {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, power) in self.variables().chunk_by(|a, b| a == b).enumerate() {
            let joint = if i == 0 { "" } else { "*" };
            match power {
                [variable] => write!(f, "{joint}x{variable}")?,
                [variable, ..] => write!(f, "{joint}x{variable}^{}", power.len())?,
                [] => {}
            }
        }
        Ok(())
    }
}

impl fmt::Display for Polynomial {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, (monomial, coefficient)) in self.terms().enumerate() {
            let sign = match (i, coefficient < 0) {
                (0, false) => "",
                (0, true) => "-",
                (_, false) => " + ",
                (_, true) => " - ",
            };
            match coefficient.unsigned_abs() {
                1 => write!(f, "{sign}{monomial}")?,
                magnitude => write!(f, "{sign}{magnitude}*{monomial}")?,
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn coefficients(text: &str) -> Vec<i64> {
        Polynomial::parse(3, text).unwrap().coefficients().unwrap()
    }

    #[test]
    fn a_sum_of_products_is_read_in_any_order_and_printed_in_one() {
        assert_eq!(coefficients("x0"), [1, 0, 0]);
        assert_eq!(
            coefficients("- 2 * x2 * x0+x1"),
            [0, 1, 0, 0, 0, -2, 0, 0, 0]
        );
        let function = Polynomial::parse(3, "7*x0^2*x1-x2 +x1*x1").unwrap();
        assert_eq!(function.to_string(), "-x2 + x1^2 + 7*x0^2*x1");
        assert_eq!(Polynomial::parse(3, &function.to_string()), Ok(function));
    }

    #[test]
    fn the_whole_range_of_coefficients_is_read() {
        let least = "-9223372036854775808*x0";
        assert_eq!(coefficients(least), [i64::MIN, 0, 0]);
        assert_eq!(Polynomial::parse(1, least).unwrap().to_string(), least);
        assert!(Polynomial::parse(1, "9223372036854775808*x0").is_err());
    }

    #[test]
    fn degrees_and_terms_are_bounded_while_they_are_read() {
        let degree = |got| FunctionError::NotAdmissible {
            what: "the degree",
            got,
            limit: 255,
        };
        assert!(Polynomial::parse(1, "x0^200*x0^55").is_ok());
        let refused = Polynomial::parse(1, "x0^200*x0^56");
        assert_eq!(refused, Err(degree(256)));
        // The rest is not parsed: it would give another error.
        let refused = Polynomial::parse(1, "x0^255*x0*no polynomial");
        assert_eq!(refused, Err(degree(256)));
        let long = "x0+".repeat(MAX_TERMS) + "no polynomial";
        let refused = Polynomial::parse(1, &long);
        assert_eq!(refused, Err(too_many_terms(MAX_TERMS + 1)));
    }

    #[test]
    fn what_is_no_polynomial_is_refused_with_its_place() {
        for (text, at) in [
            ("", 0),
            ("x", 1),
            ("3*", 2),
            ("x0 x1", 3),
            ("x0^0", 4),
            ("x0^256", 6),
            ("y0", 0),
            ("x0 + é", 5),
            ("x99999999999", 12),
        ] {
            let unreadable = Err(FunctionError::Unreadable { at });
            assert_eq!(Polynomial::parse(1, text), unreadable, "{text}");
        }
        let constant = Polynomial::parse(1, "x0 + 3");
        assert_eq!(constant, Err(FunctionError::ConstantTerm));
    }
}
