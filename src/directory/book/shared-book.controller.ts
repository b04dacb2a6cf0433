import { Controller } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access, type AdminPrincipal } from '../../shared/access/index.js';
import { importBookSchema } from '../dto/import-model.js';
import {
  bookPageSchema,
  bookSchema,
  changeBookSchema,
  createBookSchema,
  putBookSchema,
  type BookView,
  type ChangeBook,
  type CreateBook,
  type PutBook,
} from '../dto/record-model.js';
import { RecordController } from '../record/record.controller.js';
import { BookService } from './book.service.js';

const PATH = '/gateway/admin/book';

/** Manages the Books in the shared catalogue, which all Clinics can use. */
@ApiTags('Administration')
@Controller(PATH)
@Access('ADMIN')
export class SharedBookController extends RecordController<AdminPrincipal, CreateBook, PutBook, ChangeBook, BookView>({
  path: PATH,
  name: 'CatalogueBook',
  singular: 'a Book of the shared catalogue',
  plural: 'Books of the shared catalogue',
  schema: bookSchema,
  page: bookPageSchema,
  create: createBookSchema,
  put: putBookSchema,
  change: changeBookSchema,
  importLine: importBookSchema,
}) {
  constructor(protected override readonly service: BookService) {
    super(service);
  }
}
