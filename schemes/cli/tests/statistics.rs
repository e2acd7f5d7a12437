//! End-to-end tests of all verbs of `duet-schemes statistics`.

mod support;

use duet_armour::kinds::{MKLHS_RECORD, STATISTICS_PROOF};
use support::Cli;

const DATA: &str = "--context net --dataset epoch-7 --metric load";

/// The keys of two sources, which signed three values each, and the arguments of a view of all of them.
fn two_sources() -> (Cli, String) {
    let cli = Cli::new("");
    let mut sources = String::new();
    for (name, values) in [("a", "17 21 19"), ("b", "-30 28 35")] {
        let key = cli.json(&format!("mklhs keygen {name}"));
        sources += &format!(" --source {}", key["fingerprint"].as_str().unwrap());
        cli.json(&format!("mklhs register --signers signers {name}"));
        cli.json(&format!(
            "statistics sign --key {name} {DATA} -o {name}.records {values}"
        ));
    }
    let view = format!("--signers signers {DATA} --count 3{sources}");
    (cli, view)
}

const RECORDS: &str = "a.records b.records";

#[test]
fn statistics_of_many_sources_are_proved_and_verified() {
    let (cli, view) = two_sources();
    // The sum is 90, the sum of squares 4 000.
    let variance = 4000.0 / 6.0 - 15.0 * 15.0;
    for (stat, value, numerator) in [
        ("mean", 15.0, "90"),
        ("variance", variance, "15900"),
        ("deviation", f64::sqrt(variance), "15900"),
    ] {
        let proved = cli.json(&format!(
            "statistics prove {stat} {view} -o {stat} {RECORDS}"
        ));
        let verified = cli.json(&format!("statistics verify {stat} {view} {stat}"));
        for said in [&proved, &verified] {
            let difference = said["value"].as_f64().unwrap() - value;
            assert!(difference.abs() < 1e-9, "{said}");
            assert_eq!(said["numerator"], numerator);
            assert_eq!(said["statistic"], stat);
            assert_eq!(said["assurance"], "Standard");
        }
        let shown = cli.json(&format!("show {stat}"));
        assert_eq!(shown["type"], STATISTICS_PROOF.name());
    }
    let text = cli
        .run(&format!("statistics verify mean {view} mean"))
        .stdout;
    assert_eq!(
        String::from_utf8(text).unwrap(),
        "mean 15 = 90/6 is verified\n"
    );
    // The proof of a variance serves for the deviation, and not for the mean.
    cli.json(&format!("statistics verify deviation {view} variance"));
    let other = format!("statistics verify mean {view} variance");
    cli.fails(&other, 1, "another type of statistic");
}

#[test]
fn weights_and_the_verifiers_own_view_count() {
    let (cli, view) = two_sources();
    let (front, back) = view.rsplit_once(" --source ").unwrap();
    let weighted = format!("{front} --source {back}=3");
    let prove = format!("statistics prove mean {weighted} -o proof {RECORDS}");
    assert_eq!(cli.json(&prove)["numerator"], (57 + 3 * 33).to_string());
    cli.json(&format!("statistics verify mean {weighted} proof"));
    // Another weight, a source less, fewer values, another epoch.
    let heavier = format!("{front} --source {back}=4");
    let fewer = view.replace("--count 3", "--count 2");
    let later = view.replace("epoch-7", "epoch-8");
    for other in [&view, &heavier, front, &fewer, &later] {
        let verify = format!("statistics verify mean {other} proof");
        assert_eq!(cli.run(&verify).status.code(), Some(1), "{other}");
    }
    let zero = format!("{front} --source {back}=0");
    let prove = format!("statistics prove mean {zero} {RECORDS}");
    cli.fails(&prove, 2, "has weight zero");
}

#[test]
fn a_source_that_signs_another_number_for_a_square_is_named() {
    let (cli, view) = two_sources();
    // A data set of one value whose second number is 1 and not 9.
    let label = "--context net --dataset epoch-9";
    let sign = format!("mklhs sign --key a {label} -o lie load/1/0=3 load/2/0=1");
    cli.json(&sign);
    let (front, _) = view.rsplit_once(" --source ").unwrap();
    let view = front
        .replace("epoch-7", "epoch-9")
        .replace("--count 3", "--count 1");
    let prove = format!("statistics prove variance {view} -o proof lie");
    cli.fails(&prove, 1, "no values of ");
}

#[test]
fn records_that_anybody_can_write_are_dropped_and_missing_ones_named() {
    let (cli, view) = two_sources();
    let mut forged = cli.objects("a.records")[0].content().unwrap().to_vec();
    *forged.last_mut().unwrap() += 1;
    cli.write("forged", &MKLHS_RECORD, &forged);
    let prove = format!("statistics prove mean {view} -o proof");
    let said = cli.json(&format!("{prove} forged {RECORDS}"));
    assert_eq!(
        (&said["dropped"], &said["numerator"]),
        (&1.into(), &"90".into())
    );
    cli.fails(&format!("{prove} --force a.records"), 1, "no signature on");
}

#[test]
fn a_data_set_is_signed_once_and_values_are_of_32_bits() {
    let (cli, _) = two_sources();
    let sign = format!("statistics sign --key a {DATA}");
    let again = cli.run(&format!("{sign} 17 21 19")).stdout;
    assert_eq!(again, cli.bytes("a.records"));
    cli.file("values", "17 21\n19");
    assert_eq!(cli.run(&format!("{sign} --values values")).stdout, again);
    cli.fails(&format!("{sign} 17 22"), 5, "the label was already used");
    let other = sign.replace("epoch-7", "epoch-8");
    cli.fails(
        &format!("{other} 4294967296"),
        2,
        "is larger than 4294967295",
    );
    cli.fails(&format!("{sign} --values absent"), 3, "absent");
}
