import type { ComponentType } from 'preact';
import type { appText } from './app.text.js';
import type { PageProps } from './page-props.js';
import type { Role } from './sign-in/sign-in.js';
import type { IconName } from '../ui/icon.js';

export type { PageProps };

export type Route = {
  /** A pattern such as `/client/:id`. Parameters are IDs of records, because the browser stores routes in its history. */
  path: string;
  /** The roles that may open the page. The first route of a role is its start page. */
  roles: readonly Role[];
  /** Loads the code of the page when it is opened for the first time. */
  load: () => Promise<{ default: ComponentType<PageProps> }>;
  /** The entry in the navigation; absent if the page is reached only from other pages. */
  entry?: { label: (text: (typeof appText)['en']) => string; icon: IconName };
};

/** The routes of all pages. */
export const ROUTES: readonly Route[] = [
  {
    path: '/week',
    roles: ['CARE_PROVIDER', 'CLINIC'],
    load: () => import('../week/week-page.js'),
    entry: { label: ({ pages }) => pages.week, icon: 'calendar' },
  },
  {
    path: '/my-care',
    roles: ['CLIENT'],
    load: () => import('../my-care/my-care-page.js'),
    entry: { label: ({ pages }) => pages.myCare, icon: 'book' },
  },
  {
    path: '/outbox',
    roles: ['CLINIC'],
    load: () => import('../outbox/outbox-page.js'),
    entry: { label: ({ pages }) => pages.outbox, icon: 'mail' },
  },
  {
    path: '/clients',
    roles: ['CARE_PROVIDER', 'CLINIC'],
    load: () => import('../client-record/clients-page.js'),
    entry: { label: ({ pages }) => pages.clients, icon: 'people' },
  },
  {
    path: '/client/:id',
    roles: ['CARE_PROVIDER', 'CLINIC'],
    load: () => import('../client-record/client-page.js'),
  },
  {
    path: '/apply-plan',
    roles: ['CARE_PROVIDER', 'CLINIC'],
    load: () => import('../apply-plan/apply-plan-page.js'),
    entry: { label: ({ pages }) => pages.applyPlan, icon: 'plus' },
  },
  {
    path: '/plan',
    roles: ['CLINIC'],
    load: () => import('../plan-editor/list/plan-list-page.js'),
    entry: { label: ({ pages }) => pages.plans, icon: 'plan' },
  },
  { path: '/plan/new', roles: ['CLINIC'], load: () => import('../plan-editor/plan-editor-page.js') },
  { path: '/plan/:id', roles: ['CLINIC'], load: () => import('../plan-editor/plan-editor-page.js') },
  { path: '/plan/:id/revision', roles: ['CLINIC'], load: () => import('../plan-editor/revisions/revisions-page.js') },
  { path: '/plan/:id/print', roles: ['CLINIC'], load: () => import('../plan-editor/print/print-page.js') },
  {
    path: '/directory',
    roles: ['CLINIC', 'ADMIN'],
    load: () => import('../directory/directory-page.js'),
    entry: { label: ({ pages }) => pages.directory, icon: 'list' },
  },
  {
    path: '/preferences',
    roles: ['CLINIC', 'CARE_PROVIDER', 'CLIENT'],
    load: () => import('../preferences/preferences-page.js'),
    entry: { label: ({ pages }) => pages.preferences, icon: 'bell' },
  },
  {
    path: '/calendar',
    roles: ['CARE_PROVIDER', 'CLIENT'],
    load: () => import('../calendar-link/calendar-link-page.js'),
    entry: { label: ({ pages }) => pages.calendar, icon: 'calendar' },
  },
  {
    path: '/simulator',
    roles: ['CLINIC', 'CARE_PROVIDER', 'ADMIN'],
    load: () => import('../simulator/simulator-page.js'),
    entry: { label: ({ pages }) => pages.simulator, icon: 'clock' },
  },
  {
    path: '/audit',
    roles: ['CLINIC', 'ADMIN'],
    load: () => import('../audit/audit-page.js'),
    entry: { label: ({ pages }) => pages.audit, icon: 'clock' },
  },
];

export function listRoutesOfRole(role: Role): readonly Route[] {
  return ROUTES.filter(({ roles }) => roles.includes(role));
}
