"""A warning that our code causes is an error in the tests; what one library causes in another is not."""

from __future__ import annotations

import warnings

import pytest


@pytest.mark.parametrize("kind", [UserWarning, DeprecationWarning, PendingDeprecationWarning, FutureWarning])
def test_ours_are_errors_of_every_kind(kind: type[Warning]) -> None:
    with pytest.raises(kind):
        warnings.warn("of a test", kind, stacklevel=1)
    for module in ("pecli", "pecli.cli.batch"):
        with pytest.raises(kind):
            warnings.warn_explicit("of the program", kind, "ours.py", 1, module=module)


def test_numbers_that_go_wrong_are_errors_wherever_they_do() -> None:
    with pytest.raises(RuntimeWarning):
        warnings.warn_explicit("divided by zero", RuntimeWarning, "theirs.py", 1, module="numpy._core.fromnumeric")


@pytest.mark.parametrize("module", ["typer", "matplotlib._mathtext", "peclib"])
def test_what_one_library_causes_in_another_is_none(module: str) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.warn_explicit("will go", DeprecationWarning, "theirs.py", 1, module=module)
    assert len(caught) == 1
