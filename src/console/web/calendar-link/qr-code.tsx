import { encode } from 'uqr';

/** Width of the quiet zone around the code, in modules (ISO/IEC 18004). */
const BORDER = 4;

/** A QR code. Always dark on light, because some cameras cannot read inverted codes. */
export function QrCode({ value, label }: { value: string; label: string }) {
  const { data, size } = encode(value, { border: BORDER });
  const squares = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])));
  return (
    <svg class="calendar-link-qr" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label}>
      <path d={squares.join('')} />
    </svg>
  );
}
