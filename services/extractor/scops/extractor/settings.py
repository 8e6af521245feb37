"""Settings of the extractor; prefix `SCOPS_EXTRACTOR_`."""

from pydantic_settings import SettingsConfigDict

from scops.common.config.settings import ServiceSettings, setting


class ExtractorSettings(ServiceSettings):
    """What a parse may take."""

    model_config = SettingsConfigDict(env_prefix="SCOPS_EXTRACTOR_")

    page_seconds: float = setting(
        10.0,
        "How long parsing one body may take before its process is killed; raise it where large "
        "documents end as timed out.",
        unit="seconds",
        gt=0,
        le=600,
    )
    ocr_languages: tuple[str, ...] = setting(
        (),
        "Languages that scanned pages of PDFs are read in by OCR, as tesseract names them and the "
        "likeliest first, such as `eng,deu`; empty leaves them unread. Needs the program tesseract "
        "and the data of each language.",
        unit="language, with commas",
        group="basic",
    )
    ocr_seconds: float = setting(
        120.0,
        "How long OCR of one document may take; its pages after that stay unread. A page takes "
        "one to three seconds; raise it where long scans matter.",
        unit="seconds",
        gt=0,
        le=3600,
    )
