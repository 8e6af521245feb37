"""Settings of the change-detector; prefix `SCOPS_CHANGE_DETECTOR_`."""

from typing import Literal

from pydantic import Field
from pydantic_settings import SettingsConfigDict

from scops.change_detector.strategies.salient.alignment import SegmentBounds
from scops.change_detector.templates.blocks import MaskBounds
from scops.change_detector.templates.learning import LearningBounds
from scops.common.config.settings import ServiceSettings


class ChangeDetectorSettings(ServiceSettings):
    """How texts are chunked, compared and labelled."""

    model_config = SettingsConfigDict(env_prefix="SCOPS_CHANGE_DETECTOR_")

    strategy: Literal["salient", "owlerlite"] = Field(
        "salient",
        description="Strategy that labels changes; storage never depends on it.",
        json_schema_extra={"unit": ""},
    )
    salience_min: float = Field(
        0.25,
        gt=0,
        le=1,
        description="tau: salience from which a change without a critical edit is semantic.",
        json_schema_extra={"unit": "share"},
    )
    segment_comparisons_max: int = Field(
        100_000,
        ge=1,
        description="Most sentences compared for likeness in one pair of versions.",
        json_schema_extra={"unit": "count"},
    )
    owlerlite_unchanged_min: float = Field(
        0.97,
        ge=0,
        le=1,
        description="tau 1: SimHash similarity from which a chunk counts as unchanged.",
        json_schema_extra={"unit": "share"},
    )
    owlerlite_changed_below: float = Field(
        0.90,
        ge=0,
        le=1,
        description="tau 2: SimHash similarity below which a chunk counts as changed.",
        json_schema_extra={"unit": "share"},
    )
    owlerlite_cosine_min: float = Field(
        0.95,
        ge=-1,
        le=1,
        description="Between the two, cosine from which two chunks are near duplicates.",
        json_schema_extra={"unit": "cosine"},
    )
    shingle_unit: Literal["word", "character"] = Field(
        "word",
        description="What the 5-gram shingles of SimHash are made of.",
        json_schema_extra={"unit": ""},
    )
    chunk_tokens_min: int = Field(
        200,
        ge=1,
        description="Tokens from which a chunk ends where the content allows it.",
        json_schema_extra={"unit": "tokens"},
    )
    chunk_tokens_max: int = Field(
        400, ge=1, description="Most tokens of a chunk.", json_schema_extra={"unit": "tokens"}
    )
    chunk_overlap_tokens: int = Field(
        0,
        ge=0,
        description="Sentences repeated from the chunk before; above 0 edits embed neighbours.",
        json_schema_extra={"unit": "tokens"},
    )
    header_tokens_max: int = Field(
        64,
        ge=1,
        description="Most tokens of the header `title > section` that is embedded with a chunk.",
        json_schema_extra={"unit": "tokens"},
    )
    token_cache_entries_max: int = Field(
        100_000,
        ge=1,
        description="Texts whose token counts are remembered, about 150 bytes each.",
        json_schema_extra={"unit": "count"},
    )
    edit_jaccard_min: float = Field(
        0.4,
        gt=0,
        le=1,
        description="Least similarity of two chunks or blocks that count as one that was edited.",
        json_schema_extra={"unit": "share"},
    )
    edit_comparisons_max: int = Field(
        10_000,
        ge=1,
        description="Most comparisons for edits in one gap between unchanged chunks or blocks.",
        json_schema_extra={"unit": "count"},
    )
    diff_cells_max: int = Field(
        250_000,
        ge=1,
        description="Largest gap (old times new elements) that is compared element by element.",
        json_schema_extra={"unit": "count"},
    )
    news_pages: int = Field(
        20,
        ge=1,
        description="Pages in an answer to WhatChanged whose caller sets no limit.",
        json_schema_extra={"unit": "count"},
    )
    news_pages_max: int = Field(
        100,
        ge=1,
        le=200,
        description="Most pages in an answer to WhatChanged; a reply holds 512 KiB.",
        json_schema_extra={"unit": "count"},
    )
    news_candidates_max: int = Field(
        500,
        ge=1,
        description="Most pages looked at for WhatChanged, newest changes first.",
        json_schema_extra={"unit": "count"},
    )
    news_edits_max: int = Field(
        5,
        ge=1,
        le=20,
        description="Most edits shown of one page in WhatChanged.",
        json_schema_extra={"unit": "count"},
    )
    news_edit_characters_max: int = Field(
        240,
        ge=1,
        le=1_000,
        description="Most text shown of either side of an edit in WhatChanged.",
        json_schema_extra={"unit": "characters"},
    )
    rechunk_pages_max: int = Field(
        50_000,
        ge=1,
        description="Most pages that one request has chunked anew.",
        json_schema_extra={"unit": "count"},
    )
    rechunk_batch: int = Field(
        20,
        ge=1,
        description="Pages chunked anew before the list is read again.",
        json_schema_extra={"unit": "count"},
    )
    rechunk_poll_seconds: float = Field(
        5.0,
        gt=0,
        description="How often is looked whether pages are to be chunked anew.",
        json_schema_extra={"unit": "seconds"},
    )
    template_pages_min: int = Field(
        10,
        ge=2,
        description="Pages of a host that show a block before it can be a template.",
        json_schema_extra={"unit": "count"},
    )
    template_share_min: float = Field(
        0.5,
        gt=0,
        le=1,
        description="Share of a host's pages from which a block is a template.",
        json_schema_extra={"unit": "share"},
    )
    template_stay_share: float = Field(
        0.3,
        ge=0,
        le=1,
        description="Share of a host's pages below which a template no longer is one.",
        json_schema_extra={"unit": "share"},
    )
    template_successor_pages: int = Field(
        5,
        ge=2,
        description="Pages on which a block replaced a template, numbers aside, to be one too.",
        json_schema_extra={"unit": "count"},
    )
    template_edge_blocks_min: int = Field(
        3,
        ge=1,
        description="Templates in a row at the edge of a text that are left out of its chunks.",
        json_schema_extra={"unit": "count"},
    )
    template_run_words_min: int = Field(
        20,
        ge=1,
        description="Words of templates in a row, anywhere, that are left out of the chunks.",
        json_schema_extra={"unit": "count"},
    )
    template_kept_words_min: int = Field(
        20,
        ge=1,
        description="Words that a page keeps beside templates; else nothing of it is left out.",
        json_schema_extra={"unit": "count"},
    )
    template_sample_pages_max: int = Field(
        1_000,
        ge=2,
        description="Pages of a host whose blocks are counted, chosen by a hash of their ids.",
        json_schema_extra={"unit": "count"},
    )
    template_page_blocks_max: int = Field(
        400,
        ge=1,
        description="Blocks of a page that are counted: half from its beginning, half its end.",
        json_schema_extra={"unit": "count"},
    )
    template_blocks_max: int = Field(
        500,
        ge=1,
        description="Templates of a host, retired ones included.",
        json_schema_extra={"unit": "count"},
    )
    template_batch: int = Field(
        100,
        ge=1,
        description="Pages with news that are learned from at once.",
        json_schema_extra={"unit": "count"},
    )
    template_poll_seconds: float = Field(
        5.0,
        gt=0,
        description="How often is looked for pages with news to learn from.",
        json_schema_extra={"unit": "seconds"},
    )
    template_hosts_max: int = Field(
        100,
        ge=1,
        le=200,
        description="Most hosts in an answer about templates.",
        json_schema_extra={"unit": "count"},
    )
    pin_days: int = Field(
        400,
        ge=1,
        description="How long a pin keeps a version where its caller sets no days.",
        json_schema_extra={"unit": "days"},
    )
    retention_poll_seconds: float = Field(
        3_600.0,
        gt=0,
        description="Pause between two looks for versions that outlived their retention.",
        json_schema_extra={"unit": "seconds"},
    )
    retention_batch: int = Field(
        200,
        ge=1,
        description="Pages, versions or blobs that the retention handles at once.",
        json_schema_extra={"unit": "count"},
    )
    garbage_hours: float = Field(
        24.0,
        gt=0,
        description="How long nobody has put a blob, and no version refers to it, before it goes.",
        json_schema_extra={"unit": "hours"},
    )
    diff_characters: int = Field(
        20_000,
        ge=1,
        description="Text in the answer to a diff whose caller sets no limit.",
        json_schema_extra={"unit": "characters"},
    )
    diff_characters_max: int = Field(
        100_000,
        ge=1,
        le=100_000,
        description="Most text in the answer to a diff; a reply holds 512 KiB.",
        json_schema_extra={"unit": "characters"},
    )
    history_versions: int = Field(
        50,
        ge=1,
        description="Versions in a history whose caller sets no limit.",
        json_schema_extra={"unit": "count"},
    )
    history_versions_max: int = Field(
        500,
        ge=1,
        le=500,
        description="Most versions in a history; a reply holds 512 KiB.",
        json_schema_extra={"unit": "count"},
    )
    commit_attempts_max: int = Field(
        8,
        ge=1,
        description="Attempts to record an observation while others change the same page.",
        json_schema_extra={"unit": "count"},
    )
    same_instant_max: int = Field(
        100,
        ge=1,
        description="Observations of one page at one instant that are told apart by microseconds.",
        json_schema_extra={"unit": "count"},
    )
    inline_characters_max: int = Field(
        20_000,
        ge=0,
        description="Longest text that is chunked between messages; longer ones go to a thread.",
        json_schema_extra={"unit": "characters"},
    )
    concurrency: int = Field(
        4,
        ge=1,
        description="Observations handled at once per lane in one process.",
        json_schema_extra={"unit": "count"},
    )

    @property
    def mask_bounds(self) -> MaskBounds:
        """How much must be repeated to be left out, and what a page keeps."""
        return MaskBounds(
            edge_blocks_min=self.template_edge_blocks_min,
            run_words_min=self.template_run_words_min,
            kept_words_min=self.template_kept_words_min,
        )

    @property
    def learning_bounds(self) -> LearningBounds:
        """When a block counts as its host's."""
        return LearningBounds(
            pages_min=self.template_pages_min,
            share_min=self.template_share_min,
            stay_share=self.template_stay_share,
            successor_pages=self.template_successor_pages,
            blocks_max=self.template_blocks_max,
        )

    @property
    def segment_bounds(self) -> SegmentBounds:
        """How texts are aligned."""
        return SegmentBounds(
            jaccard_min=self.edit_jaccard_min,
            comparisons_max=self.segment_comparisons_max,
            cells_max=self.diff_cells_max,
        )
