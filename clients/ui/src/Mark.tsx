/** The mark: an owl between brackets. */
export function Mark({ size }: { size?: "large" }) {
  return (
    <svg className="mark" data-size={size} viewBox="0 0 24 24" aria-hidden="true">
      <path
        d="M9 20.5H4.5V3L9.6 7.2M15 20.5h4.5V3l-5.1 4.2"
        fill="none"
        stroke="currentColor"
        strokeWidth="2.1"
        strokeLinejoin="round"
        strokeLinecap="round"
      />
      <circle cx="8.9" cy="12" r="2" fill="currentColor" />
      <circle cx="15.1" cy="12" r="2" fill="currentColor" />
      <path d="M12 13.8l1.5 2.1L12 18.2l-1.5-2.3z" fill="currentColor" />
    </svg>
  );
}
