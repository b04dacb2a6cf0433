// The door of the calendars: other modules import from here and from nowhere deeper.
export { CalendarLink } from './calendar-link.entity.js';
export { CalendarModule } from './calendar.module.js';
