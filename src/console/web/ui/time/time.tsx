import { appearance } from '../../app/appearance.js';
import { useStore } from '../../app/store.js';
import { formatInstant, formatRange, formatZone, type TimeFormat } from './time-format.js';

type TimeProps = {
  /** An instant from the service, in ISO 8601 format and UTC. */
  at: string;
  /** The end, for a range. */
  to?: string;
  /** The IANA time zone in which the record's times are shown. */
  zone: string;
  format?: TimeFormat;
  /** Set to false if the zone is already shown nearby, for example in the heading of the list. */
  showsZone?: boolean;
};

/** Shows a local time with its time zone. */
export function Time({ at, to, zone, format = 'dateTime', showsZone = true }: TimeProps) {
  const { language } = useStore(appearance);
  const text =
    to === undefined ? formatInstant(at, zone, format, language) : formatRange(at, to, zone, format, language);
  return (
    <time dateTime={at} title={zone}>
      {text}
      {showsZone && <span class="zone"> {formatZone(zone)}</span>}
    </time>
  );
}
