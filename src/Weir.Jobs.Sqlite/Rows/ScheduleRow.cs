using Weir.Jobs.Sqlite.Interop;
using Weir.Jobs.Storage;

namespace Weir.Jobs.Sqlite.Rows;

/// <summary>Reads rows of <c>schedule</c>.</summary>
internal static class ScheduleRow
{
    /// <summary>The columns, in the order in which <see cref="Read"/> takes them.</summary>
    public const string Columns = "name, kind, cron, time_zone, source, next, paused, last_due, last_job, undeclared";

    /// <summary>All rows of a statement.</summary>
    public static List<ScheduleRecord> ReadAll(Statement statement)
    {
        var all = new List<ScheduleRecord>();
        using (statement.Use())
        {
            while (statement.Step())
            {
                all.Add(Read(statement));
            }
        }

        return all;
    }

    public static ScheduleRecord Read(Statement row) => new()
    {
        Name = row.Text(0)!,
        Kind = row.Text(1)!,
        Cron = row.Text(2)!,
        TimeZone = row.Text(3)!,
        Source = (JobScheduleSource)row.Int(4),
        Next = Time(row, 5),
        IsPaused = row.Int(6) != 0,
        LastDue = Time(row, 7),
        LastJob = row.IsNull(8) ? null : row.Id(8),
        UndeclaredSince = Time(row, 9),
    };

    private static DateTimeOffset? Time(Statement row, int column) => row.IsNull(column) ? null : row.Time(column);
}
