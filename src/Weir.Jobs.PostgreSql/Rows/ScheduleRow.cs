using Npgsql;
using Weir.Jobs.Storage;

namespace Weir.Jobs.PostgreSql.Rows;

/// <summary>Reads schedules.</summary>
internal static class ScheduleRow
{
    public const string Columns = "name, kind, cron, time_zone, source, next, paused, last_due, last_job, undeclared";

    public static ScheduleRecord Read(NpgsqlDataReader reader) => new()
    {
        Name = StoredText.Read(reader.GetString(0)),
        Kind = StoredText.Read(reader.GetString(1)),
        Cron = StoredText.Read(reader.GetString(2)),
        TimeZone = StoredText.Read(reader.GetString(3)),
        Source = (JobScheduleSource)reader.GetInt16(4),
        Next = Time(reader, 5),
        IsPaused = reader.GetBoolean(6),
        LastDue = Time(reader, 7),
        LastJob = reader.IsDBNull(8) ? null : reader.GetGuid(8),
        UndeclaredSince = Time(reader, 9),
    };

    private static DateTimeOffset? Time(NpgsqlDataReader reader, int at) => reader.IsDBNull(at) ? null : RowReader.Time(reader.GetInt64(at));
}
