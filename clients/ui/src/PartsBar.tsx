export interface PartBar {
  kind: string;
  /** In per cent of the width, as `width`. */
  x: number;
  width: number;
  isNegative: boolean;
}

interface PartsBarProps {
  bars: PartBar[];
  /** Where nought lies, in per cent of the width. */
  axis: number;
}

/** The parts of a score: what adds is filled, what takes away is outlined. Text stands beside it. */
export function PartsBar({ bars, axis }: PartsBarProps) {
  return (
    <svg className="parts-bar" height="14" aria-hidden="true">
      <line className="axis" x1={`${axis}%`} x2={`${axis}%`} y1="0" y2="14" />
      {bars.map((bar) => (
        <rect
          key={bar.kind}
          data-part={bar.kind}
          data-negative={bar.isNegative || undefined}
          x={`${bar.x}%`}
          y={bar.isNegative ? 2.75 : 2}
          width={`${bar.width}%`}
          height={bar.isNegative ? 8.5 : 10}
          rx="1"
        />
      ))}
    </svg>
  );
}
