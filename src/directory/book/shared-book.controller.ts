import { Controller } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access, type AdminPrincipal } from '../../shared/access/index.js';
import type { BookView, ChangeBook, CreateBook, PutBook } from '../dto/record-model.js';
import type { BookQuery } from '../dto/record-query.js';
import { RecordController } from '../record/record.controller.js';
import { BOOK_SCHEMAS } from './book-schemas.js';
import { BookService } from './book.service.js';

const PATH = '/gateway/admin/book';

/** Manages the Books in the shared catalogue, which all Clinics can use. */
@ApiTags('Administration')
@Controller(PATH)
@Access('ADMIN')
export class SharedBookController extends RecordController<
  AdminPrincipal,
  CreateBook,
  PutBook,
  ChangeBook,
  BookView,
  BookQuery
>({
  path: PATH,
  name: 'CatalogueBook',
  singular: 'a Book of the shared catalogue',
  plural: 'Books of the shared catalogue',
  ...BOOK_SCHEMAS,
}) {
  constructor(protected override readonly service: BookService) {
    super(service);
  }
}
