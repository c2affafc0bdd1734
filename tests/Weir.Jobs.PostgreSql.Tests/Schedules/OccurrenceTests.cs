using Weir.Jobs.PostgreSql.Connections;
using Weir.Jobs.PostgreSql.Retention;
using Weir.Jobs.PostgreSql.Tests.Servers;
using Weir.Jobs.Storage;
using Weir.Jobs.Tests.Running;
using Weir.Tests;

namespace Weir.Jobs.PostgreSql.Tests.Schedules;

/// <summary>Two applications with one schedule on one schema, each with a clock that the test moves: both find every occurrence at once, and reach for it.</summary>
public sealed class OccurrenceTests(PostgreSqlServer server)
{
    private const string Each = "* * * * * *";
    private const string Second = "*/2 * * * * *";
    private const string Kind = "Controlled/Checked";

    private static readonly DateTimeOffset Start = new(2026, 11, 27, 12, 0, 0, TimeSpan.Zero);

    private readonly string _schema = server.NewSchema();
    private readonly List<ManualTime> _clocks = [];
    private int _moved;

    private static CancellationToken Stop => TestContext.Current.CancellationToken;

    [Fact]
    public Task Two_replicas_make_one_job_of_each_of_300_occurrences_also_while_the_cron_text_changes() => OccurAsync(300);

    [Fact, Trait("Kind", "Long")]
    public Task Two_replicas_make_one_job_of_each_of_10_000_occurrences_also_while_the_cron_text_changes() => OccurAsync(10_000);

    // A third of them by two replicas with one text, a third during the deployment of another, which has each second one only, and the rest by it alone.
    private async Task OccurAsync(int occurrences)
    {
        var third = occurrences / 3;
        var one = await StartAsync(Each);
        var two = await StartAsync(Each);
        await MoveAsync(third, static _ => true);
        await two.DisposeAsync();
        _clocks.RemoveAt(1);
        var next = await StartAsync(Second);
        await MoveAsync(third, static second => second % 2 == 0);
        await one.DisposeAsync();
        _clocks.RemoveAt(0);
        var last = await StartAsync(Second);
        await MoveAsync(occurrences - (2 * third), static second => second % 2 == 0);
        await next.DisposeAsync();
        await last.DisposeAsync();

        var found = await FoundAsync();
        Assert.Equal(found.Distinct(), found);
        Assert.Equal(Enumerable.Range(1, third), found.Where(second => second <= third));

        // Both texts have these; which of the two takes the one before decides about the others.
        var deployed = found.Where(second => second > third && second <= 2 * third).ToList();
        Assert.Equal(Even(third, 2 * third), deployed.Where(static second => second % 2 == 0));
        Assert.Equal(Even(2 * third, occurrences), found.Where(second => second > 2 * third));
    }

    private static IEnumerable<int> Even(int after, int to) => Enumerable.Range(after + 1, to - after).Where(static second => second % 2 == 0);

    private async Task<JobsHost> StartAsync(string cron)
    {
        // It starts between two occurrences.
        var clock = new ManualTime { Origin = Start.AddMilliseconds((_moved * 1_000) + 500) };
        _clocks.Add(clock);
        return await JobsHost.StartAsync(
            jobs =>
            {
                // Time passes for leases as fast as the test moves it.
                jobs.UsePostgreSql(server.ConnectionString, options => (options.Schema, options.Lease) = (_schema, TimeSpan.FromMinutes(10)));
                var schedule = jobs.Schedule("ticks");
                (schedule.Kind, schedule.Cron, schedule.Arguments, schedule.Overlap) = (Kind, cron, "{\"number\":1}", ScheduleOverlap.Queue);
            },
            time: clock);
    }

    // Second by second: the occurrence is taken before the next one is due, so that none of them is one run with another.
    private async Task MoveAsync(int seconds, Func<int, bool> isCertain)
    {
        var random = new Random(seconds);
        for (var end = _moved + seconds; _moved < end;)
        {
            _moved++;
            var order = random.Next(2);
            _clocks[order].Advance(TimeSpan.FromSeconds(1));
            _clocks[1 - order].Advance(TimeSpan.FromSeconds(1));
            if (isCertain(_moved))
            {
                await UntilAsync($"SELECT last_due >= {Start.AddSeconds(_moved).UtcTicks} FROM {_schema}.schedule WHERE name = 'ticks'");
            }
            else
            {
                await UntilAsync($"SELECT next > {Start.AddSeconds(_moved).UtcTicks} FROM {_schema}.schedule WHERE name = 'ticks'");
            }
        }
    }

    private async Task UntilAsync(string sql)
    {
        while (await server.QueryAsync(sql) is not true)
        {
            await Task.Delay(1, Stop);
        }
    }

    // The seconds of the occurrences that are jobs.
    private async Task<List<int>> FoundAsync()
    {
        await using var store = new PostgreSqlJobStore(
            new Database(server.ConnectionString, _schema), new PostgreSqlJobsOptions { Schema = _schema }, new RetentionTimes(null, null), TimeProvider.System);
        await store.OpenAsync(new JobReplica(Guid.NewGuid(), []), Stop);
        var found = new List<int>();
        Guid? before = null;
        while (await store.ListAsync(new JobQuery { Kind = Kind, Before = before, Limit = 1_000 }, Stop) is { Count: > 0 } page)
        {
            found.AddRange(page.Select(static job => (int)(job.ScheduledFor - Start).TotalSeconds));
            before = page[^1].Id;
        }

        found.Sort();
        return found;
    }
}
