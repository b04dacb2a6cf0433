/* The components that all pages use. */
export { Button, ButtonLink, IconButton } from './button.js';
export { Menu, SegmentedControl } from './choice.js';
export { ConflictDialog, type ConflictingField } from './conflict-dialog.js';
export { copyToClipboard } from './copy-to-clipboard.js';
export { Dialog } from './dialog.js';
export { CheckboxField, Field, SelectField, TextAreaField, TextField } from './field.js';
export type { ControlAttributes, SelectOption } from './field.js';
export { FilterForm } from './filter-form.js';
export { Icon, type IconName } from './icon.js';
export { addOneDayToIsoDate, toStartOfDay } from './time/local-day.js';
export { Pager, useExistingPage, usePageCursors, type PageCursors } from './pager.js';
export { RefusalNotice } from './refusal-notice.js';
export { saveFile } from './save-file.js';
export { EmptyState, ErrorState, QueryView, Skeleton } from './states.js';
export { Badge, Card, Notice, Page, Progress, type Tone } from './surface.js';
export { Table, type TableColumn } from './table.js';
export { Time } from './time/time.js';
export {
  formatDate,
  formatFullZone,
  formatInstant,
  formatRange,
  formatZone,
  type TimeFormat,
} from './time/time-format.js';
export { Timeline, type TimelineItem } from './timeline.js';
export { showProblem, showSuccess } from './toast.js';
export { useHasPassed } from './time/use-has-passed.js';
export { useCanAnswer } from './use-can-answer.js';
export { useCloseWhenGone } from './use-close-when-gone.js';
export { useIsNarrowScreen } from './use-is-narrow-screen.js';
