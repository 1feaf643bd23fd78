"""A file that is an example of a topic is one file that can be read."""

from __future__ import annotations

from pathlib import Path

import pytest

from gossamer.collection.crawl import topic_examples
from gossamer.collection.crawl.topic_examples import file_text
from gossamer.errors import UsageError


def test_the_words_of_a_file_are_read_up_to_its_bound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    example = tmp_path / "owls.html"
    example.write_text("<title>Owls</title><p>Owls hunt by night.</p><p>They hear well.</p>")
    assert "Owls hunt by night." in file_text(example)
    assert "hear well" in file_text(example)
    monkeypatch.setattr(topic_examples, "FILE_MOST", 45)
    assert "Owls hunt by night." in file_text(example)
    assert "hear well" not in file_text(example)


def test_a_folder_and_a_file_that_is_not_there_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is a file"):
        file_text(tmp_path)
    with pytest.raises(UsageError, match="cannot be read"):
        file_text(tmp_path / "none")
