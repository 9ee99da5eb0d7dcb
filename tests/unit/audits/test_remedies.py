"""What would mend most of what is given away: said only where it is so."""

import pyarrow as pa

import noiseless as nl


def test_blanks_behind_most_disclosures_are_pointed_out() -> None:
    towns = ["north"] * 4 + ["south"] * 4 + [None]
    ill = ["flu", "cold", "flu", "cold"] * 2 + ["flu"]
    table = pa.table({"town": towns, "ill": ill})
    found = nl.audit(table, sensitive="ill", public="town")
    assert found.remedies[0].startswith("1 of the 1 row given away has no town: a blank singles rows out")
    filled = nl.audit(pa.table({"town": [*towns[:8], "west"], "ill": ill}), sensitive="ill", public="town")
    assert not any("blank" in text for text in filled.remedies)


def test_few_rows_that_halve_the_damage_are_pointed_out() -> None:
    towns = ["north"] * 20 + ["west", "east"]
    table = pa.table({"town": towns, "ill": ["flu", "cold"] * 10 + ["flu", "cold"]})
    (text,) = nl.audit(table, sensitive="ill", public="town").remedies
    assert text.startswith(
        "2 rows (9.10 %) cause the worst of it: with them suppressed, every group would leave"
    )
    assert "--min-posterior 2 --suppress 0.091)" in text
    suppressed = ["north"] * 20 + ["*", "*"]
    after = nl.audit(pa.table({"town": suppressed, "ill": table["ill"]}), sensitive="ill", public="town")
    assert after.min_posterior == 2


def test_no_suppression_is_proposed_that_would_not_help() -> None:
    alike = pa.table(
        {"town": ["north"] * 20 + ["west", "east"], "ill": ["flu", "cold"] * 10 + ["flu", "flu"]}
    )
    assert (
        nl.audit(alike, sensitive="ill", public="town").remedies == ()
    )  # together they are still pinned down
    many = pa.table({"town": ["north"] * 4 + ["west", "east"], "ill": ["flu", "cold"] * 3})
    assert nl.audit(many, sensitive="ill", public="town").remedies == ()  # a third of all rows
    known = nl.audit(
        pa.table({"town": ["n"] * 20 + ["w", "e"], "sex": ["f"] * 22, "ill": ["a", "b"] * 11}),
        sensitive="ill",
        public="town",
        given="sex",
    )
    assert known.remedies == ()


def test_rows_whose_texts_make_a_column_of_numbers_texts_are_pointed_out() -> None:
    amounts = [*(f"{number},50" for number in range(30)), "b.d.", None, "b.d."]
    table = pa.table({"ill": ["flu", "cold", "gout"] * 11, "pay": amounts})
    (note,) = (t for t in nl.audit(table, sensitive="ill", public="pay").remedies if "numbers" in t)
    assert note == (
        "pay holds numbers except in 2 rows (the first is row 31), and is taken as texts: "
        "blank or mend those rows."
    )


def test_numbers_and_dates_that_count_as_texts_are_pointed_out() -> None:
    written = {
        "pay": ["1168,00", "1168,0", "1300,50"],
        "born": ["17.08.1971", "1.2.1980", None],
        "town": [*"abc"],
    }
    found = nl.audit(pa.table(written), sensitive="pay", public=["born", "town"])
    assert [text for text in found.remedies if "read as texts" in text] == [
        (
            "pay holds numbers with a decimal comma, read as texts: two spellings of one value count as two. "
            "Add --decimal , to read them."
        ),
        (
            "born holds dates like 17.08.1971, read as texts: two spellings of one value count as two. "
            "Add --date-format DD.MM.YYYY to read them."
        ),
    ]


def test_words_in_a_wrong_encoding_are_pointed_out() -> None:
    said = "has signs like ± and ³ within words, as text read in a wrong encoding has: check --encoding"
    for read, expected in (("latin-1", ["town"]), ("iso8859-2", [])):
        town = [name.encode("iso8859-2").decode(read) for name in ("Nowy Sącz", "Łódź", "Łódź")]
        table = pa.table({"town": town, "ill": ["ból", "grypa", "grypa"]})
        found = nl.audit(table, sensitive="ill", public="town")
        assert [text for text in found.remedies if "±" in text] == [f"{name} {said}." for name in expected]
        made = nl.release(table, sensitive="ill", public="town", min_posterior=1)
        assert [text for text in made.warnings if "±" in text] == [
            f"column {name!r} {said}" for name in expected
        ]
