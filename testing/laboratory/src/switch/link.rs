//! What happens to a packet on its way: decided without a clock, a device or randomness of its own.

use crate::address::Place;
use rand_chacha::rand_core::RngCore;
use std::{collections::BTreeSet, time::Duration};

/// How links are: all of them alike.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Weather {
    /// How long a packet takes at least.
    pub latency: Duration,
    /// How much longer it may take: each time anything from nothing to this.
    pub jitter: Duration,
    /// How many of a thousand packets are lost.
    pub loss_permille: u32,
}

/// What is done with a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It arrives after so long.
    Carry(Duration),
    /// The weather takes it.
    Lost,
    /// There is no way there.
    Cut,
}

/// The state of all links.
#[derive(Clone, Debug, Default)]
pub struct Links {
    weather: Weather,
    /// From where to where nothing goes.
    cuts: BTreeSet<(Place, Place)>,
}

impl Links {
    /// Changes the weather on all links.
    pub fn set_weather(&mut self, weather: Weather) {
        self.weather = weather;
    }

    /// From here on nothing goes from one of these to one of those.
    pub fn cut(&mut self, from: &[Place], to: &[Place]) {
        let pairs = from.iter().flat_map(|a| to.iter().map(move |b| (*a, *b)));
        self.cuts.extend(pairs);
    }

    /// Every link is there again, and the weather is clear.
    pub fn heal(&mut self) {
        *self = Self::default();
    }

    /// What happens to a packet. Draws two numbers of `random` whatever the answer, so that the same packets meet the same luck when
    /// links are cut or not. What the laboratory itself asks and hears is not disturbed.
    pub fn verdict(&self, from: Place, to: Place, random: &mut impl RngCore) -> Verdict {
        if from == Place::Outside || to == Place::Outside {
            return Verdict::Carry(Duration::ZERO);
        }
        let (luck, late) = (random.next_u32(), random.next_u32());
        if self.cuts.contains(&(from, to)) {
            return Verdict::Cut;
        }
        if luck % 1_000 < self.weather.loss_permille {
            return Verdict::Lost;
        }
        let share = f64::from(late) / f64::from(u32::MAX);
        Verdict::Carry(self.weather.latency + self.weather.jitter.mul_f64(share))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_chacha::{rand_core::SeedableRng, ChaCha8Rng};

    const A: Place = Place::Node(0);
    const B: Place = Place::Node(1);
    const C: Place = Place::Node(2);

    fn random() -> ChaCha8Rng {
        ChaCha8Rng::seed_from_u64(7)
    }

    #[test]
    fn a_clear_link_carries_everything_at_once() {
        let links = Links::default();
        assert_eq!(
            links.verdict(A, B, &mut random()),
            Verdict::Carry(Duration::ZERO)
        );
    }

    #[test]
    fn a_one_way_cut_stops_one_direction_and_no_other_pair() {
        let mut links = Links::default();
        links.cut(&[A], &[B]);
        let carried = Verdict::Carry(Duration::ZERO);
        assert_eq!(links.verdict(A, B, &mut random()), Verdict::Cut);
        assert_eq!(links.verdict(B, A, &mut random()), carried);
        assert_eq!(links.verdict(A, C, &mut random()), carried);
        links.heal();
        assert_eq!(links.verdict(A, B, &mut random()), carried);
    }

    #[test]
    fn as_many_packets_are_lost_as_the_weather_says_and_latency_stays_in_its_range() {
        let (latency, jitter) = (Duration::from_millis(40), Duration::from_millis(20));
        let mut links = Links::default();
        links.set_weather(Weather {
            latency,
            jitter,
            loss_permille: 100,
        });
        let mut random = random();
        let mut lost = 0;
        for _ in 0..10_000 {
            match links.verdict(A, B, &mut random) {
                Verdict::Lost => lost += 1,
                Verdict::Carry(after) => assert!(after >= latency && after <= latency + jitter),
                Verdict::Cut => panic!("nothing is cut"),
            }
        }
        assert!((800..1_200).contains(&lost), "{lost} of 10 000");
    }

    #[test]
    fn one_seed_gives_one_run_of_luck() {
        let mut links = Links::default();
        links.set_weather(Weather {
            loss_permille: 500,
            ..Weather::default()
        });
        let run = |mut random: ChaCha8Rng| -> Vec<_> {
            (0..100).map(|_| links.verdict(A, B, &mut random)).collect()
        };
        assert_eq!(run(random()), run(random()));
        assert_ne!(run(random()), run(ChaCha8Rng::seed_from_u64(8)));
    }

    #[test]
    fn the_laboratory_reaches_nodes_that_are_cut_off() {
        let mut links = Links::default();
        links.cut(&[A, Place::Outside], &[B, Place::Outside]);
        let carried = Verdict::Carry(Duration::ZERO);
        assert_eq!(links.verdict(Place::Outside, B, &mut random()), carried);
        assert_eq!(links.verdict(A, Place::Outside, &mut random()), carried);
    }
}
