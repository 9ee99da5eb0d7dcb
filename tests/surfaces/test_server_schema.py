"""The OpenAPI document says what the server does: requests made from it, right and wrong, are answered so."""

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest
import schemathesis
import schemathesis.wfc.escalation  # loaded late and deep inside a test it trips over a limit of Python 3.11
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.errors import Unsatisfiable
from schemathesis.checks import CHECKS, load_all_checks
from schemathesis.core.result import Ok

from curator_examples import write_curator
from noiseless.server import models
from noiseless.server.app import create_app
from noiseless.server.settings import Settings
from server_examples import QUERIES, bearer, get, new_token, post, running
from waiting import HANGS

EXAMPLES = 10
GROUPED = "SELECT suburb, SUM(kwh) / COUNT(*) FILTER (WHERE solar) AS r FROM meters GROUP BY suburb"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str]]:
    path = write_curator(tmp_path_factory.mktemp("schema"))
    token = new_token(path, name="olga", role="owner")
    patient = Settings((str(path),), rate=0, timeout=HANGS, body_timeout=HANGS, patience=HANGS)
    with running(create_app(patient)) as url:
        yield url, token


@pytest.fixture(scope="module")
def document(served: tuple[str, str]) -> schemathesis.BaseSchema:
    return schemathesis.openapi.from_url(f"{served[0]}/openapi.json")


def operations(document: schemathesis.BaseSchema) -> list[schemathesis.APIOperation[Any, Any, Any, Any]]:
    found = [each.ok() for each in document.get_all_operations() if isinstance(each, Ok)]
    assert len(found) >= 15
    return found


@pytest.mark.parametrize("mode", list(schemathesis.GenerationMode), ids=lambda mode: mode.value)
@pytest.mark.parametrize("name", ["meters", None])
def test_requests_made_from_the_document_are_answered_as_it_says(
    document: schemathesis.BaseSchema,
    served: tuple[str, str],
    mode: schemathesis.GenerationMode,
    name: str | None,
) -> None:
    load_all_checks()
    left_out = CHECKS.get_by_names(["positive_data_acceptance"])  # most texts are no SQL
    for operation in operations(document):
        if name is not None and "{name}" not in operation.path:
            continue
        fixed = {"path_parameters": {"name": name}} if name is not None else {}

        @settings(
            max_examples=EXAMPLES,
            deadline=None,
            derandomize=True,
            database=None,
            suppress_health_check=list(HealthCheck),
            phases=[Phase.explicit, Phase.generate],
        )
        @given(case=operation.as_strategy(mode, **fixed))  # type: ignore[arg-type]
        def ask(case: schemathesis.Case[Any]) -> None:
            headers = bearer(served[1])
            case.call_and_validate(headers=headers, excluded_checks=left_out, timeout=HANGS)  # type: ignore[arg-type]

        with suppress(Unsatisfiable):  # nothing can be wrong with a request that has no parameters
            ask()


@pytest.mark.parametrize(
    ("path", "model"),
    [
        ("/v1/session", models.Session),
        ("/v1/datasets", models.Datasets),
        ("/v1/datasets/meters", models.Dataset),
        ("/v1/datasets/meters/sample", models.Sample),
        ("/v1/datasets/meters/history", models.HistoryPage),
        ("/v1/datasets/meters/ledger?verify=true", models.LedgerPage),
        ("/v1/datasets/meters/exposure", models.ExposureReport),
        ("/v1/tokens", models.Tokens),
    ],
)
def test_responses_are_what_the_document_says_to_the_last_key(
    served: tuple[str, str], path: str, model: type[models.ResponseBody]
) -> None:
    body = {"queries": [GROUPED]}
    reply = post(served[0] + QUERIES, json=body, headers=bearer(served[1]))
    assert reply.status_code == 200, reply.text
    models.BatchReply.model_validate_json(reply.content, strict=True)
    assert set(reply.json()) <= set(models.BatchReply.model_fields)
    found = get(served[0] + path, headers=bearer(served[1]))
    model.model_validate_json(found.content, strict=True)
    assert set(found.json()) == set(model.model_fields)


def test_every_operation_has_a_summary_and_its_refusals(served: tuple[str, str]) -> None:
    document = get(f"{served[0]}/openapi.json").json()
    for path, item in document["paths"].items():
        for method, operation in item.items():
            assert operation["summary"], (method, path)
            assert operation["description"], (method, path)
            if path.startswith("/v1/"):
                assert operation["security"] == [{"bearer": []}]
                assert {"401", "429", "503"} <= set(operation["responses"])
                assert "422" not in operation["responses"]
            if method == "post":
                assert "example" in operation["requestBody"]["content"]["application/json"]
