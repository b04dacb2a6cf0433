/**
 * Line icons on a 24-pixel grid. They are decorative, because a text or a label always conveys the same information.
 */
const PATHS = {
  check: 'M5 12.5l4.5 4.5L19 7.5',
  undo: 'M9 7L4.5 11.5 9 16M5 11.5h8.5a5.5 5.5 0 010 11H12',
  close: 'M6 6l12 12M18 6L6 18',
  menu: 'M4 7h16M4 12h16M4 17h16',
  bell: 'M6.5 16V11a5.5 5.5 0 0111 0v5l1.5 2H5zM10 20.5a2.2 2.2 0 004 0',
  calendar: 'M4.5 6.5h15v13h-15zM4.5 10.5h15M8.5 4v4M15.5 4v4',
  clock: 'M12 3.8a8.2 8.2 0 100 16.4 8.2 8.2 0 000-16.4zM12 7.5V12l3 2',
  book: 'M5 5.5c2.5-1 5-.8 7 .7 2-1.5 4.5-1.7 7-.7v13c-2.5-1-5-.8-7 .7-2-1.5-4.5-1.7-7-.7zM12 6.2v13',
  person: 'M12 4a4 4 0 100 8 4 4 0 000-8zM4.5 20c.8-4 3.8-6 7.5-6s6.7 2 7.5 6',
  people:
    'M9 5a3.5 3.5 0 100 7 3.5 3.5 0 000-7zM2.5 19.5c.6-3.6 3.2-5.5 6.5-5.5s5.9 1.9 6.5 5.5M15.5 5.3a3.5 3.5 0 010 6.4M18 14.5c2 .7 3.2 2.4 3.5 5',
  clinic: 'M4.5 20V8l7.5-4 7.5 4v12zM12 9.5v6M9 12.5h6',
  key: 'M8 10.5a4 4 0 110 5.6 4 4 0 010-5.6zM13.5 12.5L20 6M17 9l2.5 2.5',
  arrow: 'M5 12h14M13 6l6 6-6 6',
  chevron: 'M7 10l5 5 5-5',
  warning: 'M12 4.5l8.5 15h-17zM12 10.5v4M12 17.2v.1',
  info: 'M12 3.8a8.2 8.2 0 100 16.4 8.2 8.2 0 000-16.4zM12 11v5M12 8v.1',
  search: 'M10.5 4.5a6 6 0 100 12 6 6 0 000-12zM15 15l5 5',
  plus: 'M12 5v14M5 12h14',
  sun: 'M12 8a4 4 0 100 8 4 4 0 000-8zM12 2.5v2M12 19.5v2M2.5 12h2M19.5 12h2M5.3 5.3l1.4 1.4M17.3 17.3l1.4 1.4M5.3 18.7l1.4-1.4M17.3 6.7l1.4-1.4',
  refresh: 'M19.5 12a7.5 7.5 0 11-2.2-5.3L19.5 9M19.5 4.5V9H15',
  pause: 'M9 6v12M15 6v12',
  list: 'M9 6.5h11M9 12h11M9 17.5h11M4.5 6.5h.1M4.5 12h.1M4.5 17.5h.1',
  mail: 'M3.5 6h17v12.5h-17zM3.5 7l8.5 6.5L20.5 7',
  moon: 'M19.5 14.5A8 8 0 019.5 4.5a8 8 0 1010 10z',
  download: 'M12 4v11M7.5 11l4.5 4.5 4.5-4.5M5 20h14',
  upload: 'M12 16V5M7.5 9L12 4.5 16.5 9M5 20h14',
  plan: 'M4.5 5h4.2v14H4.5zM10 5h4.2v9H10zM15.4 5h4.1v6h-4.1z',
  copy: 'M8.5 8.5h11v11h-11zM15.5 8.5v-4h-11v11h4',
  trash: 'M5 7.5h14M9.5 7.5V5h5v2.5M7 7.5l.8 12h8.4l.8-12M10.5 11v5M13.5 11v5',
  redo: 'M15 7l4.5 4.5L15 16M19 11.5h-8.5a5.5 5.5 0 000 11H12',
  start: 'M19 12H5M11 6l-6 6 6 6',
  grip: 'M9 6v.1M15 6v.1M9 12v.1M15 12v.1M9 18v.1M15 18v.1',
  archive: 'M4 5h16v4H4zM5.5 9v10.5h13V9M10 13h4',
  absent: 'M10 4a4 4 0 100 8 4 4 0 000-8zM2.5 20c.8-4 3.8-6 7.5-6 1.6 0 3 .4 4.2 1.1M16.5 15.5l5 5M21.5 15.5l-5 5',
  move: 'M12 3.5v17M3.5 12h17M9.5 6L12 3.5 14.5 6M9.5 18l2.5 2.5 2.5-2.5M6 9.5L3.5 12 6 14.5M18 9.5l2.5 2.5-2.5 2.5',
  print: 'M7 9V4h10v5M7 17H4.5V9.5h15V17H17M7 14h10v6H7z',
} as const;

export type IconName = keyof typeof PATHS;

/** Icons that point in the reading direction. They are mirrored in right-to-left languages. */
const DIRECTED: readonly IconName[] = ['arrow', 'start', 'undo', 'redo'];

export function Icon({ name, size = 20 }: { name: IconName; size?: number }) {
  return (
    <svg
      class={DIRECTED.includes(name) ? 'icon icon-directed' : 'icon'}
      viewBox="0 0 24 24"
      width={size}
      height={size}
      aria-hidden="true"
      focusable="false"
    >
      <path d={PATHS[name]} />
    </svg>
  );
}
