import { Controller } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access, type ClinicPrincipal } from '../../shared/access/index.js';
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

const PATH = '/gateway/profile/clinic/book';

/** Manages the Clinic's own Books. Lists and reads also include the shared catalogue. */
@ApiTags('Directory')
@Controller(PATH)
@Access('CLINIC')
export class BookController extends RecordController<ClinicPrincipal, CreateBook, PutBook, ChangeBook, BookView>({
  path: PATH,
  name: 'Book',
  singular: 'a Book of the Clinic',
  plural: "Books, the Clinic's own and those of the shared catalogue",
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
