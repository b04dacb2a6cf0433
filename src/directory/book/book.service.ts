import { Injectable } from '@nestjs/common';
import { sql } from 'kysely';
import type { AdminPrincipal, ClinicPrincipal, StaffPrincipal } from '../../shared/access/index.js';
import { NotFoundError, requireVersion, type ExpectedVersion } from '../../shared/errors/index.js';
import type { NdjsonRequest } from '../../shared/http/index.js';
import { TenantEntityManager } from '../../shared/persistence/index.js';
import { Clock } from '../../shared/time/index.js';
import type { Page } from '../../shared/validation/index.js';
import { Book } from '../domain/book.entity.js';
import { Directory } from '../lookup/directory.js';
import { findByText } from '../lookup/external-ids.js';
import { bookImportSchema, type ImportLineResult } from '../dto/import-model.js';
import { toBookView, type BookView, type ChangeBook, type CreateBook, type PutBook } from '../dto/record-model.js';
import type { BookQuery } from '../dto/record-query.js';
import { importRecords } from '../import/import-records.js';
import { mapPage, RECORD_SEARCH_FIELDS, RecordLister } from '../record/record-lister.js';
import { FOR_UPDATE, putRecord, rejectTakenExternalId, type PutRecordResult } from '../record/record-queries.js';

/** Manages Books: administrators maintain the shared catalogue, and Clinics maintain their own Books. */
@Injectable()
export class BookService {
  constructor(
    private readonly em: TenantEntityManager,
    private readonly directory: Directory,
    private readonly clock: Clock,
    private readonly lister: RecordLister,
  ) {}

  /** @throws ConflictError if the external ID is taken */
  create(caller: AdminPrincipal | ClinicPrincipal, data: CreateBook): Promise<number> {
    return rejectTakenExternalId(
      this.em.transactional(async (em) => {
        const book = new Book(await this.requireOwnClinicId(caller), data, this.clock.now());
        await em.persist(book).flush();
        return book.id;
      }),
    );
  }

  /** @throws PreconditionFailedError if the Book has another version or does not exist */
  put(
    caller: AdminPrincipal | ClinicPrincipal,
    externalId: string,
    data: PutBook,
    expectedVersion?: ExpectedVersion,
  ): Promise<PutRecordResult> {
    const clinicId = caller.role === 'CLINIC' ? caller.clinicId : null;
    return putRecord(this.em, {
      find: async () =>
        this.em.findOne(Book, { clinicId: await this.requireOwnClinicId(caller), externalId }, FOR_UPDATE),
      create: () => new Book(clinicId, { ...data, externalId }, this.clock.now()),
      change: (book) => book.replace(data),
      expectedVersion,
    });
  }

  import(caller: AdminPrincipal | ClinicPrincipal, request: NdjsonRequest): Promise<ImportLineResult[]> {
    const clinicId = caller.role === 'CLINIC' ? caller.clinicId : null;
    return importRecords(this.em, request, {
      schema: bookImportSchema,
      entity: Book,
      find: async (externalIds) => {
        await this.requireOwnClinicId(caller);
        const scope = clinicId === null ? sql`record.clinic_id is null` : sql`record.clinic_id = ${clinicId}`;
        return findByText(this.em, { table: 'book', column: 'external_id', scope }, externalIds);
      },
      idFilter: (ids) => ({ clinicId, id: { $in: ids } }),
      create: (data) => new Book(clinicId, data, this.clock.now()),
      replace: (book, data) => book.replace(data),
    });
  }

  /** Administrators see only the shared catalogue. Clinics and their Care Providers also see the Clinic's Books. */
  list(caller: AdminPrincipal | StaffPrincipal, { title: name, sort, ...query }: BookQuery): Promise<Page<BookView>> {
    return this.em.transactional(async (em) => {
      const visible = await this.visibleTo(caller);
      const clinicIds = visible.$or?.map(({ clinicId }) => clinicId) ?? [null];
      const page = await this.lister.list(
        {
          find: (where, options) => em.find(Book, { ...where, ...visible }, options),
          countUpTo: (where, maximum) => em.countUpTo(Book, { ...where, ...visible }, maximum),
          names: { source: { ...RECORD_SEARCH_FIELDS, table: 'book', entity: Book, nameColumn: 'title' }, clinicIds },
        },
        { ...query, name, sort: { ...sort, field: sort.field === 'title' ? 'name' : 'createdAt' } },
      );
      return mapPage(page, toBookView);
    });
  }

  /** @throws NotFoundError if the caller can see no such Book */
  get(caller: AdminPrincipal | StaffPrincipal, id: number): Promise<BookView> {
    return this.em.transactional(async (em) => {
      const book = await em.findOne(Book, { id, ...(await this.visibleTo(caller)) });
      if (book === null) throw new NotFoundError();
      return toBookView(book);
    });
  }

  /**
   * @throws NotFoundError if there is no such Book, or if a Clinic tries to change a shared Book
   * @throws PreconditionFailedError if the Book has another version
   */
  change(
    caller: AdminPrincipal | ClinicPrincipal,
    id: number,
    data: ChangeBook,
    seenVersion?: number,
  ): Promise<BookView> {
    return rejectTakenExternalId(
      this.em.transactional(async () => {
        const book = await this.requireOwnBook(caller, id);
        requireVersion(book, seenVersion);
        book.change(data);
        return toBookView(book);
      }),
    );
  }

  /**
   * @throws NotFoundError if there is no such Book, or if a Clinic tries to deactivate a shared Book
   * @throws PreconditionFailedError if the Book has another version
   */
  deactivate(caller: AdminPrincipal | ClinicPrincipal, id: number, seenVersion?: number): Promise<void> {
    return this.em.transactional(async () => {
      const book = await this.requireOwnBook(caller, id);
      requireVersion(book, seenVersion);
      book.deactivate();
    });
  }

  private async requireOwnBook(caller: AdminPrincipal | ClinicPrincipal, id: number): Promise<Book> {
    const where = { clinicId: await this.requireOwnClinicId(caller), id };
    const book = await this.em.findOne(Book, where, FOR_UPDATE);
    if (book === null) throw new NotFoundError();
    return book;
  }

  /** Returns the `clinicId` of the Books that the caller may change. Null stands for the shared catalogue. */
  private async requireOwnClinicId(caller: AdminPrincipal | ClinicPrincipal): Promise<number | null> {
    return caller.role === 'CLINIC' ? (await this.directory.requireClinic(caller)).id : null;
  }

  private async visibleTo(caller: AdminPrincipal | StaffPrincipal) {
    if (caller.role === 'ADMIN') return { clinicId: null };
    const { id: clinicId } = await this.directory.requireStaffClinic(caller);
    return { $or: [{ clinicId }, { clinicId: null }] };
  }
}
