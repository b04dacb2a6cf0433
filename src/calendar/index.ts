// Public API of the calendar module. Other modules import from this file only.
export { CalendarLink, type CalendarOwner } from './calendar-link.entity.js';
export { CalendarLinkService } from './calendar-link.service.js';
export { CalendarModule } from './calendar.module.js';
export { CalendarLinkExportSource } from './calendar-link-export.source.js';
export { exportedCalendarLinkSchema } from './dto/calendar-link.js';
export { CALENDAR_LINK_ROWS_TO_ERASE } from './calendar-erasure.js';
