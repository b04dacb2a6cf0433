import { Expose, Transform, Type } from 'class-transformer';
import {
  ArrayMaxSize,
  IsArray,
  IsBoolean,
  IsInt,
  IsNotEmpty,
  IsOptional,
  IsString,
  Matches,
  Max,
  MaxLength,
  Min,
  registerDecorator,
  ValidateNested,
  type ValidationArguments,
} from 'class-validator';
import { isReminderOffset } from '../../../src/reminder/index.js';
import { parseClockTime, parseSlashDate, parseDateTime } from '../../../src/shared/time/index.js';

/*
 * Validation rules as decorators, the same as in the product's zod schemas. Unknown fields are removed, and values are
 * not converted.
 */

const MAX = Number.MAX_SAFE_INTEGER;

/** A custom validation rule for class-validator. */
function Satisfies(message: string, test: (value: never, args: ValidationArguments) => boolean): PropertyDecorator {
  return (target, propertyName) =>
    registerDecorator({
      name: message,
      target: target.constructor,
      propertyName: String(propertyName),
      options: { message: `$property ${message}` },
      validator: { validate: (value: unknown, args) => test(value as never, args!) },
    });
}

const all =
  (...decorators: PropertyDecorator[]): PropertyDecorator =>
  (target, key) =>
    decorators.forEach((decorate) => decorate(target, key));

const Storable = () =>
  Satisfies('must be text that can be stored', (value: string) => !value.includes('\0') && value.isWellFormed());
const Id = () => all(IsInt(), Min(1), Max(MAX));
const OptionalId = () => all(IsOptional(), IsInt(), Min(0), Max(MAX));
const OptionalText = (length: number) => all(IsOptional(), IsString(), MaxLength(length), Storable());
const OptionalInteger = (least: number, most: number) => all(IsOptional(), IsInt(), Min(least), Max(most));
const OptionalList = (length: number) => all(IsOptional(), IsArray(), ArrayMaxSize(length));
const ClockTime = () => Satisfies('must be HH:mm', (value) => typeof value === 'string' && !!parseClockTime(value));

/** Lets a field have a second name. */
const AlsoSpelt = (other: string) =>
  all(
    Expose(),
    Transform(({ value, obj }: { value: unknown; obj: Record<string, unknown> }) => value ?? obj[other]),
  );
const OtherSpellingOf = (field: string) =>
  all(
    IsOptional(),
    Satisfies(`must not differ from ${field}`, (value, { object }) => (object as never)[field] === value),
  );

class AssignRemindDto {
  @IsInt() @Min(0) @Max(7) reminderDay!: number;
  @ClockTime() time!: string;
}

class AssignmentDto {
  @Id() bookId!: number;
  @OptionalList(20)
  @ValidateNested({ each: true })
  @Type(() => AssignRemindDto)
  assignReminds?: AssignRemindDto[] | null;
}

class WeekDto {
  @OptionalText(200) name?: string | null;
  @OptionalInteger(0, MAX) ordering?: number | null;
  @OptionalList(50)
  @ValidateNested({ each: true })
  @Type(() => AssignmentDto)
  assignments?: AssignmentDto[] | null;
}

export class CreatePlanDto {
  @AlsoSpelt('name') @IsString() @IsNotEmpty() @Matches(/\S/) @MaxLength(200) @Storable() planName!: string;
  @OtherSpellingOf('planName') name?: string;
  @AlsoSpelt('createDate')
  @IsOptional()
  @IsString()
  @MaxLength(64)
  @Satisfies('must be a date', (value) => typeof value === 'string' && parseDateTime(value) !== undefined)
  createdDate?: string | null;
  @OtherSpellingOf('createdDate') createDate?: string;
  @OptionalText(200) appointmentTitle?: string | null;
  @OptionalText(4000) appointmentDesc?: string | null;
  @OptionalId() caregiverId?: number | null;
  @OptionalId() clinicId?: number | null;
  @IsOptional() @IsBoolean() template?: boolean | null;
  @OptionalList(104) @ValidateNested({ each: true }) @Type(() => WeekDto) weeks?: WeekDto[] | null;
}

export class CreateSessionsDto {
  @Id() clientId!: number;
  @Satisfies('must be yyyy/MM/dd', (value) => typeof value === 'string' && !!parseSlashDate(value)) date!: string;
  @ClockTime() time!: string;
  @AlsoSpelt('Title') @OptionalText(200) title?: string | null;
  @OtherSpellingOf('title') Title?: string;
  @OptionalText(4000) description?: string | null;
  @AlsoSpelt('CareProviderId') @OptionalId() caregiverId?: number | null;
  @OtherSpellingOf('caregiverId') CareProviderId?: number;
  @OptionalId() clinicId?: number | null;
  @OptionalInteger(0, 100) sessionCount?: number | null;
  @OptionalList(100) @IsInt({ each: true }) @Min(1, { each: true }) @Max(MAX, { each: true }) bookIdList?:
    number[] | null;
  @OptionalInteger(0, 3650) remindDays?: number | null;
  @OptionalId() designPlanId?: number | null;
  @OptionalInteger(1, 365) intervalDays?: number | null;
  @OptionalList(10)
  @Satisfies('must be ISO 8601 durations', (value: unknown) => Array.isArray(value) && value.every(isOffset))
  reminders?: string[] | null;
  @OptionalInteger(1, 720) durationMinutes?: number | null;
}

function isOffset(value: unknown): boolean {
  return typeof value === 'string' && value.length <= 32 && isReminderOffset(value);
}

export class ListSessionsDto {
  @IsOptional() @Matches(/^(\d|[1-9]\d|1\d\d|200)$/) limit?: string;
  @IsOptional() @Satisfies('must be an instant', (value) => !Number.isNaN(Date.parse(value))) from?: string;
}
