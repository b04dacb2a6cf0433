import type { WeekSession } from '@care-scheduling/client';
import { findVisibleHours, toBoardTimeRange } from '../../session-times.js';
import { parseMinuteOfDay, type BoardSessionTimes, type HourRange } from './drag-steps.js';

type Column = { date: string; left: number; width: number };
export type BoardRectangle = { left: number; top: number; width: number; height: number };

const MINUTES_OF_AN_HOUR = 60;

/** The positions of days and hours on the board, in pixels from the board's top left corner. */
export class BoardGrid {
  private constructor(
    private readonly columns: readonly Column[],
    private readonly top: number,
    private readonly height: number,
    readonly hours: HourRange,
  ) {}

  static read(board: HTMLElement, sessions: readonly WeekSession[]): BoardGrid | undefined {
    const corner = board.getBoundingClientRect();
    const cells = [...board.querySelectorAll<HTMLElement>('[role="gridcell"][data-date]')];
    const areas = cells.map((cell) => ({ date: cell.dataset['date']!, area: cell.getBoundingClientRect() }));
    const columns = areas.map(({ date, area }) => ({ date, left: area.left - corner.left, width: area.width }));
    const first = areas[0]?.area;
    if (first === undefined || first.height === 0) return undefined;
    return new BoardGrid(
      columns,
      first.top - corner.top,
      first.height,
      findVisibleHours(sessions.map(toBoardTimeRange)),
    );
  }

  get lastDay(): number {
    return this.columns.length - 1;
  }

  /** Returns the index of the day at a horizontal position. Outside the days, the nearest day is returned. */
  findDay(left: number): number {
    const distances = this.columns.map(({ left: start, width }) => Math.abs(left - start - width / 2));
    return distances.indexOf(Math.min(...distances));
  }

  toMinutes(pixels: number): number {
    return pixels / this.pixelsPerMinute;
  }

  toArea({ day, startMinute, durationMinutes }: BoardSessionTimes): BoardRectangle {
    const { left, width } = this.columns[day]!;
    const start = (startMinute - this.hours.first * MINUTES_OF_AN_HOUR) * this.pixelsPerMinute;
    const height = Math.min(durationMinutes * this.pixelsPerMinute, this.height - start);
    return { left, top: this.top + start, width, height };
  }

  /** Returns the local times of a Session, or undefined if it does not start on a day of the board. */
  readTimes(session: WeekSession): BoardSessionTimes | undefined {
    const [date, time] = toBoardTimeRange(session).start.split('T');
    const day = this.columns.findIndex((column) => column.date === date);
    if (day === -1) return undefined;
    return { day, startMinute: parseMinuteOfDay(time!), durationMinutes: session.durationMinutes };
  }

  findDate(day: number): string {
    return this.columns[day]!.date;
  }

  private get pixelsPerMinute(): number {
    return this.height / ((this.hours.last - this.hours.first) * MINUTES_OF_AN_HOUR);
  }
}
