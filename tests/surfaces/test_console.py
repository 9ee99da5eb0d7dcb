"""A real browser goes through the console; with NOISELESS_SCREENSHOTS pictures are kept there."""

import random
import re
from collections.abc import Iterator
from fractions import Fraction
from math import ceil, floor
from pathlib import Path
from typing import Any

import pytest

from console_axe import violations
from console_site import Reader, Site

pytest_plugins = ["browsers"]

MEAN = "SELECT AVG(kwh) FROM {}"
DEAR = "SELECT /*+ bits(9) */ joined, COUNT(*) FROM phone GROUP BY joined"
BY_SUBURB = "SELECT suburb, AVG(kwh) AS mean FROM {} GROUP BY suburb"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    pytest.importorskip("fastapi", reason="the server needs the extra `server`")
    found = Site.start(tmp_path_factory.mktemp("site"))
    yield found
    found.stop()


@pytest.fixture
def reader(chromium: Any, site: Site, pictures: Path | None) -> Iterator[Reader]:  # noqa: ANN401
    found = Reader(chromium, site.url, pictures)
    yield found
    found.network()
    assert not found.problems()


# Asking


def test_sign_in_price_run_and_repeat_for_free(reader: Reader, site: Site) -> None:
    token = site.token("meters")
    reader.begin()
    reader.picture("sign-in")
    reader.type("#token", "nls_0123456789abcdef_" + "x" * 43 + "\n")
    reader.find(".notice.bad", "not valid")
    reader.type("#token", token + "\n")
    assert "12 bits left" in reader.find(".card", "meters").text
    assert token not in reader.driver.current_url
    reader.picture("datasets")
    reader.go("d/meters")
    reader.find("table", "0 to 10, in steps of 0.5")
    reader.find(".facts", "1.6 bits, unless it says otherwise")
    reader.picture("dataset")

    reader.go("d/meters/ask")
    reader.type(".question textarea", BY_SUBURB.format("meters"))
    reader.find("#add-question").click()
    reader.find(".question:nth-child(2) textarea").send_keys(MEAN.format("meters"))
    button = reader.find("#run", "Run for 2.33 bits")
    assert "12 bits left" in reader.find(".price").text  # a price costs nothing
    reader.find(".question:nth-child(2) .said", "by itself; plus or minus")
    reader.picture("price")
    button.click()
    reader.find(".answer", "harbour")
    assert len(reader.driver.find_elements("css selector", ".answer svg")) == 2
    reader.find("#run", "Run for free")
    reader.find(".price", "2.33 of 12 bits spent")
    assert _told(reader, ".answer:nth-of-type(2)") == _truth(site, token, MEAN.format("meters"))
    reader.picture("answers")
    reader.find("#run", "Run for free").click()
    reader.find("h2 + div p", "they were free")
    assert len(reader.driver.find_elements("css selector", ".answer .badge.free")) == 2
    reader.picture("free")
    reader.go("d/meters/history")
    reader.find(".batch", "2.33 bits").find_element("css selector", "summary").click()
    reader.find(".batch .answer", "harbour")
    reader.picture("history")
    reader.go("d/meters/sample")
    reader.find("caption", "20 synthetic rows")
    reader.picture("sample")


def _told(reader: Reader, selector: str) -> tuple[str, str]:
    said = reader.find(f"{selector} .figure").text
    low, high = re.findall(r"(\S+) to (\S+)", said)[0]
    return low, high


def _truth(site: Site, token: str, sql: str) -> tuple[str, str]:
    """The ends of an answer with six digits, rounded outwards."""
    (number,) = site.ask(token, "meters", sql)["answers"][0]["rows"]
    low, high = Fraction(number["lower_exact"]), Fraction(number["upper_exact"])
    return _digits(Fraction(floor(low * 10**5), 10**5)), _digits(Fraction(ceil(high * 10**5), 10**5))


def _digits(number: Fraction) -> str:
    return f"{float(number):.5f}".rstrip("0").rstrip(".")


def test_a_question_from_parts(reader: Reader, site: Site) -> None:
    from selenium.webdriver.support.select import Select

    reader.begin(site.token("other", name="bob"))
    reader.go("d/other")
    reader.find(
        "td", "mean of 3 where kwh in [5, 10] and heating in [oil, <img src=x onerror=alert(1)>], else 0"
    )
    reader.go("d/other/ask")
    form = reader.find(".builder")
    what, _, where = form.find_elements("css selector", "select")[:3]
    Select(what).select_by_visible_text("burden()")
    assert "SELECT burden()" in reader.find(".builder pre").text
    Select(what).select_by_visible_text("Sum (SUM)")
    Select(where).select_by_visible_text("heating")
    Select(reader.find("#builder-value")).select_by_visible_text("<img src=x onerror=alert(1)>")
    reader.find(".builder .check").click()
    reader.find("#use-question").click()
    sql = reader.find(".question textarea").get_attribute("value")
    assert sql.split("\n") == [
        "SELECT suburb, SUM(kwh)",
        "FROM other",
        "WHERE heating = '<img src=x onerror=alert(1)>'",
        "GROUP BY suburb",
    ]
    reader.find("#run", "Run for")
    reader.type(".question textarea", "SELECT MODE(")
    reader.find(".columns .chip", "kwh").click()
    reader.press(") FROM other WHERE heating = 'gas'")
    reader.find(".question .said.bad", "MODE is not understood here")
    reader.find(".price", "This cannot be asked")
    reader.picture("wrong")
    assert not reader.driver.find_elements("css selector", "img[src=x]")


def test_a_batch_beyond_the_budget_is_refused_before_and_after(reader: Reader, site: Site) -> None:
    token = site.token("small")
    reader.begin(token)
    reader.go("d/small/ask")
    reader.type(".question textarea", "SELECT /*+ bits(3) */ AVG(kwh) FROM small")
    button = reader.find("#run", "Run for")
    site.ask(token, "small", "SELECT heating, COUNT(*) FROM small GROUP BY heating")  # somebody was faster
    button.click()
    refusal = reader.find(".price.refused", "Refused").text
    assert re.search(
        r"would cost \S+ bits; \S+ bits of the dataset's budget are spent and \S+ bits? are left", refusal
    )
    reader.picture("refused")
    reader.type(".question textarea", "SELECT /*+ bits(3.5) */ SUM(kwh) FROM small")
    refusal = reader.find(".price.refused", "Refused").text
    assert re.search(r"would cost \S+ bits; \S+ bits are spent and \S+ bits? are left", refusal)
    assert not reader.find("#run").is_enabled()
    refusal = reader.find(".price.refused", "is the most that fits").text
    (advised,) = re.findall(r"Ask for a coarser one: (/\*\+ \S+\) \*/) after SELECT", refusal)
    reader.type(".question textarea", f"SELECT {advised} SUM(kwh) FROM small")
    reader.find("#run", "Run for").click()
    reader.find(".answer .figure")


def test_a_double_click_asks_once_and_shows_the_answers(reader: Reader, site: Site) -> None:
    from selenium.webdriver.common.action_chains import ActionChains

    token = site.token("other", name="dora")
    reader.begin(token)
    reader.go("d/other/ask")
    reader.type(".question textarea", "SELECT VAR_POP(kwh) FROM other")
    button = reader.find("#run", "Run for")
    ActionChains(reader.driver).double_click(button).perform()
    reader.find(".answer .figure")
    assert "they were free" not in reader.find("h2 + div p").text
    assert "it cost" in reader.find("h2 + div p").text


def test_which_question_of_a_batch_is_wrong_is_shown_below_it(reader: Reader, site: Site) -> None:
    reader.begin(site.token("other", name="emil"))
    reader.go("d/other/ask")
    reader.type(".question textarea", MEAN.format("other"))
    reader.find("#add-question").click()
    reader.find(".question:nth-child(2) textarea").send_keys("SELECT kwh FROM other")
    reader.find(".question:nth-child(2) .said.bad")
    assert not reader.driver.find_elements("css selector", ".question:nth-child(1) .said.bad")


def test_data_that_changed_is_explained(reader: Reader, site: Site) -> None:
    reader.begin(site.token("slow", name="fay"))
    reader.go("d/slow/ask")
    reader.type(".question textarea", "SELECT MAX(kwh) FROM slow")
    button = reader.find("#run", "Run for")
    source = site.files["slow"].with_name("meters.csv")
    kept = source.read_text()
    try:
        source.write_text(kept + kept.splitlines()[-1] + "\n")
        button.click()
        reader.find(".notice.bad", "The data has changed")
        reader.picture("data-changed")
    finally:
        source.write_text(kept)


def test_an_analysts_own_allowance_is_named(reader: Reader, site: Site) -> None:
    reader.begin(site.token("quota"))
    reader.go("d/quota/ask")
    reader.type(".question textarea", "SELECT /*+ bits(3) */ AVG(kwh) FROM quota")
    reader.find(".price.refused", "Your own allowance of 2 bits does not cover the")


# Owners


def test_an_owner_reads_the_ledger_and_changes_tokens_and_budgets(reader: Reader, site: Site) -> None:
    from selenium.webdriver.support.select import Select

    token = site.token("phone", "owner", "olga")
    site.ask(token, "phone", BY_SUBURB.format("phone"))
    reader.begin(token)
    reader.go("d/phone/ledger")
    reader.find("tr", "Charged")
    reader.find("#check-chain").click()
    reader.find(".notice", "The chain is whole")
    reader.picture("ledger")
    reader.go("d/phone/exposure")
    reader.find(".facts", "Most exposed row")
    reader.find(".chart svg")
    reader.picture("exposure")
    reader.go("d/phone/budget")
    bits, reason = reader.find("form").find_elements("css selector", "input")
    bits.clear()
    bits.send_keys("9.5")
    reason.send_keys("<b>yearly</b> review\n")
    reader.find("dialog button.main").click()
    reader.find(".gauge", "of 9.5 bits spent")
    reader.picture("budget")
    reader.go("d/phone/ledger")
    reader.find("tr", "<b>yearly</b> review")

    reader.go("tokens")
    name = reader.find("form input")
    name.send_keys("carl")
    Select(reader.find("form select")).select_by_index(0)
    reader.find("form button.main").click()
    secret = reader.find(".secret").text
    reader.picture("token-made")
    assert site.call(secret, "GET", "session")[1]["name"] == "carl"
    reader.find("#secret-done").click()
    reader.find("tr", "carl").find_element("css selector", "button").click()
    assert reader.focused == "Cancel"
    reader.find("dialog button.danger").click()
    reader.find(".notice", "The token of carl is revoked")
    reader.find("tr", "revoked")
    assert site.call(secret, "GET", "session")[0] == 401
    assert secret not in reader.driver.page_source
    reader.picture("tokens")


def test_an_analyst_has_no_owners_pages(reader: Reader, site: Site) -> None:
    reader.begin(site.token("phone"))
    assert "Tokens" not in reader.find("header").text
    reader.go("d/phone")
    assert "Ledger" not in reader.find(".tabs").text
    reader.go("d/phone/ledger")
    reader.find(".notice.bad", "Only an owner")


def test_a_revoked_token_signs_out_and_keeps_what_was_written(reader: Reader, site: Site) -> None:
    owner, token = site.token("phone", "owner", "olga"), site.token("phone")
    reader.begin(token)
    reader.go("d/phone/ask")
    reader.type(".question textarea", "SELECT SUM(kwh) FROM phone")
    reader.find("#run", "Run for")
    assert site.call(owner, "DELETE", f"tokens/{token.split('_')[1]}")[0] == 200
    reader.find("#run").click()
    reader.find(".notice.bad", "expired or was revoked")
    reader.picture("revoked")
    reader.type("#token", site.token("phone") + "\n")
    assert reader.find(".question textarea").get_attribute("value") == "SELECT SUM(kwh) FROM phone"
    reader.find("#sign-out").click()
    reader.find(".notice", "You are signed out")
    assert reader.driver.execute_script("return sessionStorage.length") == 0
    reader.driver.refresh()
    reader.find("#token")


# Slow and out of reach


def test_a_server_out_of_reach_and_a_slow_one(reader: Reader, site: Site) -> None:
    reader.begin(site.token("slow"))
    reader.go("d/slow/ask")
    reader.type(".question textarea", MEAN.format("slow"))
    button = reader.find("#run", "Run for")
    reader.network(offline=True)
    button.click()
    reader.find(".price .notice.bad", "asking again cannot charge twice")
    reader.picture("offline")
    reader.network(latency=6000)
    reader.find("#again").click()
    reader.find(".price", "Still computing")
    reader.picture("slow")
    reader.network()
    reader.find(".answer .figure")
    reader.network(offline=True)
    reader.go("d/slow/history")
    reader.find(".notice.bad", "cannot be reached")
    reader.network()
    reader.find(".notice button", "Try again").click()
    reader.find(".batch")


# Phones, the dark, keyboards, those who listen


PLACES = [
    "",
    "d/phone",
    "d/phone/ask",
    "d/phone/history",
    "d/phone/sample",
    "d/phone/ledger",
    "d/phone/exposure",
]
PLACES += ["d/phone/budget", "tokens", "help"]


def _settle(reader: Reader, place: str) -> None:
    reader.go(place)
    reader.find("h1", {"": "Datasets", "tokens": "Tokens", "help": "Help"}.get(place, "phone"))
    tab = place.split("/")[2].capitalize() if place.count("/") == 2 else None
    if tab:
        reader.find(".tabs [aria-current]", tab)
    if place not in {"d/phone/ask", "d/phone/budget", "d/phone/history"}:
        reader.find("table" if place else ".card")


def test_it_can_be_read_on_a_phone_and_in_the_dark(reader: Reader, site: Site) -> None:
    token = site.token("phone", "owner", "olga")
    reader.begin(token)
    reader.look(360, 740, phone=True, dark=True)
    for place in PLACES:
        _settle(reader, place)
        if place == "d/phone/ask":
            reader.type(".question textarea", BY_SUBURB.format("phone"))
            reader.find("#run", "Run for").click()
            reader.find(".answer .chart svg")
        wide = reader.driver.execute_script("return document.documentElement.scrollWidth")
        assert wide <= 360, place
        reader.picture(f"phone-dark-{place.replace('/', '-') or 'datasets'}")
    script = "return getComputedStyle(document.body).backgroundColor"
    assert reader.driver.execute_script(script) == "rgb(20, 23, 28)"
    reader.look(1200, 900, dark=True)
    reader.go("d/phone/ask")
    reader.find(".answer .chart svg")
    reader.picture("dark-ask")


def test_the_keyboard_is_enough(reader: Reader, site: Site) -> None:
    from selenium.webdriver.common.keys import Keys

    reader.begin()
    reader.press(site.token("phone", name="key"), Keys.ENTER)
    reader.find(".card")
    _tab_to(reader, "Ask about phone")
    reader.press(Keys.ENTER)
    reader.find(".question textarea")
    assert reader.driver.execute_script("return document.activeElement.tagName") == "H1"
    _tab_to(reader, "question-", limit=40)
    assert _outline(reader) != "none"
    reader.press("SELECT MIN(kwh) FROM phone")
    reader.press(Keys.CONTROL, Keys.ENTER)
    reader.find("#run", "Run for")
    reader.press(Keys.ALT, Keys.ARROW_DOWN)
    reader.press("SELECT MAX(kwh) FROM phone")
    reader.find("#run", "Run for")
    reader.press(Keys.CONTROL, Keys.ENTER)
    reader.find(".answer:nth-of-type(2)")
    assert reader.focused == "Answers"
    reader.picture("keyboard")
    reader.go("help")
    reader.find("h1", "Help")
    reader.press(Keys.SHIFT, Keys.TAB)
    assert reader.focused == "Sign out"
    reader.press(Keys.ENTER)
    reader.find(".notice", "You are signed out")


def _tab_to(reader: Reader, name: str, limit: int = 15) -> None:
    from selenium.webdriver.common.keys import Keys

    seen = []
    for _ in range(limit):
        reader.press(Keys.TAB)
        element = reader.driver.switch_to.active_element
        names = (element.get_attribute("aria-label"), element.text, element.get_attribute("id"))
        seen.append(" ".join(name or "" for name in names))
        if name in seen[-1]:
            return
    raise AssertionError(f"{name} cannot be reached: {seen}")


def _outline(reader: Reader) -> str:
    return str(reader.driver.execute_script("return getComputedStyle(document.activeElement).outlineStyle"))


def test_accessibility(reader: Reader, site: Site, axe: str) -> None:
    """axe-core finds nothing that it calls serious, critical or moderate, by day or by night."""
    token, found = site.token("phone", "owner", "olga"), dict[str, list[str]]()

    def look_at(place: str) -> None:
        for dark in (False, True):
            reader.look(dark=dark)
            found[f"{place}, dark: {dark}"] = violations(reader, axe)

    reader.begin()
    look_at("sign-in")
    reader.type("#token", token + "\n")
    reader.find(".card")
    for place in PLACES:
        _settle(reader, place)
        if place == "d/phone/ask":
            reader.type(".question textarea", BY_SUBURB.format("phone"))
            reader.find("#run", "Run for").click()
            reader.find(".answer .chart svg")
            reader.type(".question textarea", DEAR)
            reader.find(".price.refused")
        look_at(place)
    reader.go("tokens")
    reader.find("td button.danger").click()
    reader.find("dialog")
    look_at("dialog")
    assert not {place: problems for place, problems in found.items() if problems}


# Numbers


def test_ends_are_rounded_outwards_exactly(reader: Reader) -> None:
    """What the page shows of a lower end is never above it, of an upper end never below it."""
    chance = random.Random(5)
    numbers = [Fraction(chance.randint(-(10**9), 10**9), chance.randint(1, 10**6)) for _ in range(200)]
    numbers += [Fraction(k, 3) * 10**p for k in (-2, 1, 2) for p in (0, 12, 20)]
    numbers += [Fraction(k, 7 * 10**p) for k in (-3, 1, 6) for p in (3, 6, 9, 30)]
    numbers += [Fraction(0), Fraction(10**6), Fraction(999_999_950_001, 10**6), Fraction(1, 7) / 1000]
    script = """
        const [texts, done] = arguments;
        import("/exact.js").then(({ readable, bits }) => done(texts.map((text) => [
            readable(text, -1), readable(text, 1), readable(double(text), -1), bits(text, 1), bits(text, -1),
        ])));
        function double(text) {
            const [top, bottom] = text.split("/");
            return Number(top) / Number(bottom || 1);
        }
    """
    reader.begin()
    shown = reader.driver.execute_async_script(script, [str(number) for number in numbers])
    for number, (low, high, of_double, up, down) in zip(numbers, shown, strict=True):
        assert _read(low) <= number <= _read(high)
        assert _read(high) - _read(low) <= abs(number) / 10**5
        assert _read(of_double) <= Fraction(float(number))
        assert _read(down) <= number <= _read(up)
    assert shown[-3] == [*["1,000,000"] * 3, *["1,000,000 bits"] * 2]


def _read(text: str) -> Fraction:
    plain = text.replace(",", "").replace("\u2212", "-").replace("bits", "").replace("bit", "").strip()
    return Fraction(plain)
