from noiseless.display import html_rows, html_table


def test_tables_hold_no_markup_of_others() -> None:
    assert ">&lt;b&gt;</td>" in html_rows([["a"], ["<b>"]])
    assert html_rows([]) == ""


def test_columns_of_numbers_stand_at_the_right() -> None:
    table = html_rows([["who", "n", "told"], ["north", "1,200", "0.5 (0 to 1)"], ["south", "-", "7"]])
    assert [cell.split("text-align:")[1].split(";")[0] for cell in table.split("<td")[1:]] == [
        *("left", "right", "left"),
        *("left", "right", "left"),
    ]
    assert html_table("<i>", {"<b>": "<u>"}, ["<s>"]).count("&lt;") == 4
