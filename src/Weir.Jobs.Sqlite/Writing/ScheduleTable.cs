using Weir.Jobs.Sqlite.Interop;
using Weir.Jobs.Sqlite.Rows;
using Weir.Jobs.Storage;

namespace Weir.Jobs.Sqlite.Writing;

/// <summary>Writes rows of <c>schedule</c>. The writer only.</summary>
internal sealed class ScheduleTable(Connection connection)
{
    private readonly Statement _all = connection.Prepare($"SELECT {ScheduleRow.Columns} FROM schedule ORDER BY name");
    private readonly Statement _find = connection.Prepare($"SELECT {ScheduleRow.Columns} FROM schedule WHERE name = ?1");
    private readonly Statement _write = connection.Prepare(
        """
        INSERT INTO schedule (name, kind, cron, time_zone, source, next, paused, last_due, last_job, undeclared) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
        ON CONFLICT (name) DO UPDATE SET kind = ?2, cron = ?3, time_zone = ?4, source = ?5, next = ?6, paused = ?7, last_due = ?8, last_job = ?9, undeclared = ?10
        """);

    private readonly Statement _delete = connection.Prepare("DELETE FROM schedule WHERE name = ?1");

    public List<ScheduleRecord> All() => ScheduleRow.ReadAll(_all);

    public ScheduleRecord? Find(string name)
    {
        using (_find.Bind(1, name).Use())
        {
            return _find.Step() ? ScheduleRow.Read(_find) : null;
        }
    }

    public void Write(ScheduleRecord schedule)
    {
        _write.Bind(1, schedule.Name).Bind(2, schedule.Kind).Bind(3, schedule.Cron).Bind(4, schedule.TimeZone).Bind(5, (long)schedule.Source).Bind(7, schedule.IsPaused ? 1 : 0);
        Bind(6, schedule.Next);
        Bind(8, schedule.LastDue);
        Bind(10, schedule.UndeclaredSince);
        if (schedule.LastJob is { } job)
        {
            _write.Bind(9, job);
        }
        else
        {
            _write.Bind(9, (string?)null);
        }

        _write.Run();
    }

    public void Delete(string name) => _delete.Bind(1, name).Run();

    private void Bind(int index, DateTimeOffset? time)
    {
        if (time is { } some)
        {
            _write.Bind(index, some);
        }
        else
        {
            _write.Bind(index, (string?)null);
        }
    }
}
