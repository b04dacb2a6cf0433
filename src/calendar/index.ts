// Public API of the calendar module. Other modules import from this file only.
export { CalendarLink } from './calendar-link.entity.js';
export { CalendarLinkService } from './calendar-link.service.js';
export { CalendarModule } from './calendar.module.js';
export { CalendarLinkExportSource } from './calendar-link-export.source.js';
export { exportedLinkSchema } from './dto/calendar-link.js';
export { ERASED_CALENDAR_LINKS } from './calendar-erasure.js';
