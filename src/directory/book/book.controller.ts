import { Controller } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Access, type ClinicPrincipal } from '../../shared/access/index.js';
import type { BookView, ChangeBook, CreateBook, PutBook } from '../dto/record-model.js';
import type { BookQuery } from '../dto/record-query.js';
import { RecordController } from '../record/record.controller.js';
import { BOOK_SCHEMAS } from './book-schemas.js';
import { BookService } from './book.service.js';

const PATH = '/gateway/profile/clinic/book';

/** Manages the Clinic's own Books. Lists and reads also include the shared catalogue. */
@ApiTags('Directory')
@Controller(PATH)
@Access('CLINIC')
export class BookController extends RecordController<
  ClinicPrincipal,
  CreateBook,
  PutBook,
  ChangeBook,
  BookView,
  BookQuery
>({
  path: PATH,
  name: 'Book',
  singular: 'a Book of the Clinic',
  plural: "Books, the Clinic's own and those of the shared catalogue",
  ...BOOK_SCHEMAS,
  changeExample: 7,
}) {
  constructor(protected override readonly service: BookService) {
    super(service);
  }
}
