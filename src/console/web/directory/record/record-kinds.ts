import type {
  Book,
  CallOptions,
  CareProvider,
  CareSchedulingClient,
  ChangeBook,
  ChangeClinic,
  ChangePerson,
  Client,
  Clinic,
  CreateBook,
  CreateClinic,
  CreatePerson,
  ImportBook,
  ImportCareProvider,
  ImportClient,
  ImportClinic,
  ImportResult,
} from '@care-scheduling/client';
import type { Role } from '../../app/sign-in/sign-in.js';

/** The kinds of records of the directory. */
export const RECORD_KIND_NAMES = ['clients', 'careProviders', 'books', 'clinics', 'catalogue'] as const;
export type RecordKindName = (typeof RECORD_KIND_NAMES)[number];

export const RECORD_KINDS_BY_ROLE: Readonly<Partial<Record<Role, readonly RecordKindName[]>>> = {
  CLINIC: ['clients', 'careProviders', 'books'],
  ADMIN: ['clinics', 'catalogue'],
};

export type RecordFieldName =
  'name' | 'title' | 'email' | 'timeZone' | 'locale' | 'description' | 'link' | 'externalId';
export type DirectoryRecord = Client | CareProvider | Book | Clinic;

/** The values of a form's fields. An empty string means no value. */
export type RecordFormValues = Partial<Record<RecordFieldName, string>>;
export type RecordFieldChanges = Partial<Record<RecordFieldName, string | null>>;

export type RecordListQuery = {
  search: string;
  active: boolean | undefined;
  sort: string;
  cursor: string | undefined;
  limit: number;
};

export type RecordPage = {
  items: DirectoryRecord[];
  nextCursor: string | null;
  count?: { value: number; isExact: boolean };
};

/** Describes one kind of record: its fields, and the operations of the service. */
export type RecordKind = {
  label: 'name' | 'title';
  fields: readonly RecordFieldName[];
  required: readonly RecordFieldName[];
  isSearchable: boolean;
  list: (api: CareSchedulingClient, query: object, signal: AbortSignal) => Promise<RecordPage>;
  get: (api: CareSchedulingClient, id: number) => Promise<DirectoryRecord>;
  create: (api: CareSchedulingClient, body: RecordFieldChanges, options: CallOptions) => Promise<unknown>;
  /** Changes a record. @param ifMatch the version on which the change is based; if undefined, any version is changed */
  change: (
    api: CareSchedulingClient,
    id: number,
    body: RecordFieldChanges & { active?: boolean },
    ifMatch?: number,
  ) => Promise<unknown>;
  deactivate: (api: CareSchedulingClient, id: number) => Promise<unknown>;
  import: (api: CareSchedulingClient, records: readonly object[]) => Promise<ImportResult[]>;
};

const PERSON = {
  label: 'name',
  fields: ['name', 'email', 'timeZone', 'locale', 'externalId'],
  required: ['name'],
  isSearchable: true,
} as const;

const BOOK = {
  label: 'title',
  fields: ['title', 'description', 'link', 'externalId'],
  required: ['title'],
  isSearchable: true,
} as const;

/* One type of form values serves all kinds of records. The bodies are therefore cast; the service validates them. */
export const RECORD_KINDS: Readonly<Record<RecordKindName, RecordKind>> = {
  clients: {
    ...PERSON,
    list: ({ clinic }, query, signal) => clinic.listClients(query, { signal }),
    get: ({ clinic }, id) => clinic.getClient({ id }),
    create: ({ clinic }, body, options) => clinic.createClient({ body: body as CreatePerson }, options),
    change: ({ clinic }, id, body, ifMatch) =>
      clinic.changeClient({ id, body: body as ChangePerson, ...(ifMatch !== undefined && { ifMatch }) }),
    deactivate: ({ clinic }, id) => clinic.deactivateClient({ id }),
    import: ({ clinic }, body) => clinic.importClients({ body: body as ImportClient[] }),
  },
  careProviders: {
    ...PERSON,
    list: ({ clinic }, query, signal) => clinic.listCareProviders(query, { signal }),
    get: ({ clinic }, id) => clinic.getCareProvider({ id }),
    create: ({ clinic }, body, options) => clinic.createCareProvider({ body: body as CreatePerson }, options),
    change: ({ clinic }, id, body, ifMatch) =>
      clinic.changeCareProvider({ id, body: body as ChangePerson, ...(ifMatch !== undefined && { ifMatch }) }),
    deactivate: ({ clinic }, id) => clinic.deactivateCareProvider({ id }),
    import: ({ clinic }, body) => clinic.importCareProviders({ body: body as ImportCareProvider[] }),
  },
  books: {
    ...BOOK,
    list: ({ clinic }, query, signal) => clinic.listBooks(query, { signal }),
    get: ({ clinic }, id) => clinic.getBook({ id }),
    create: ({ clinic }, body, options) => clinic.createBook({ body: body as CreateBook }, options),
    change: ({ clinic }, id, body, ifMatch) =>
      clinic.changeBook({ id, body: body as ChangeBook, ...(ifMatch !== undefined && { ifMatch }) }),
    deactivate: ({ clinic }, id) => clinic.deactivateBook({ id }),
    import: ({ clinic }, body) => clinic.importBooks({ body: body as ImportBook[] }),
  },
  clinics: {
    ...{ label: 'name', fields: ['name', 'timeZone', 'locale', 'externalId'], required: ['name', 'timeZone'] },
    isSearchable: false,
    list: ({ admin }, query, signal) => admin.listClinics(query, { signal }),
    get: ({ admin }, id) => admin.getClinic({ id }),
    create: ({ admin }, body, options) => admin.createClinic({ body: body as CreateClinic }, options),
    change: ({ admin }, id, body, ifMatch) =>
      admin.changeClinic({ id, body: body as ChangeClinic, ...(ifMatch !== undefined && { ifMatch }) }),
    deactivate: ({ admin }, id) => admin.deactivateClinic({ id }),
    import: ({ admin }, body) => admin.importClinics({ body: body as ImportClinic[] }),
  },
  catalogue: {
    ...BOOK,
    list: ({ admin }, query, signal) => admin.listCatalogueBooks(query, { signal }),
    get: ({ admin }, id) => admin.getCatalogueBook({ id }),
    create: ({ admin }, body, options) => admin.createCatalogueBook({ body: body as CreateBook }, options),
    change: ({ admin }, id, body, ifMatch) =>
      admin.changeCatalogueBook({ id, body: body as ChangeBook, ...(ifMatch !== undefined && { ifMatch }) }),
    deactivate: ({ admin }, id) => admin.deactivateCatalogueBook({ id }),
    import: ({ admin }, body) => admin.importCatalogueBooks({ body: body as ImportBook[] }),
  },
};

export function getRecordLabel(record: DirectoryRecord): string {
  return 'title' in record ? record.title : record.name;
}

/** Whether the caller may change a record. A Clinic also sees Books of the shared catalogue, which it cannot change. */
export function canChangeRecord(kind: RecordKindName, record: DirectoryRecord): boolean {
  return kind !== 'books' || ('clinicId' in record && record.clinicId !== null);
}

export function toListQuery(kind: RecordKindName, { search, active, sort, cursor, limit }: RecordListQuery): object {
  const { label, isSearchable } = RECORD_KINDS[kind];
  return {
    ...{ limit, count: 'estimated' },
    ...(isSearchable && search.trim() !== '' && { [label]: search.trim() }),
    ...(active !== undefined && { active }),
    ...((isSearchable || !sort.endsWith('label')) && { sort: sort.replace('label', label) }),
    ...(cursor !== undefined && { cursor }),
  };
}
