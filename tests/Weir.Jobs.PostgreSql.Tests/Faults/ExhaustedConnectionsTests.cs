using System.Collections.Concurrent;
using Npgsql;
using Weir.Jobs.PostgreSql.Tests.Servers;
using Weir.Jobs.Tests.Running;

namespace Weir.Jobs.PostgreSql.Tests.Faults;

/// <summary>The application takes all connections that the server gives to its role, so that none is left for its jobs.</summary>
public sealed class ExhaustedConnectionsTests(PostgreSqlServer server)
{
    private const int Most = 8;

    private static readonly TimeSpan Limit = TimeSpan.FromMinutes(1);

    private static CancellationToken Stop => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData(60)]
    [InlineData(2)]
    public async Task Without_a_connection_submissions_are_refused_and_what_runs_and_was_acknowledged_is_completed_afterwards(int lease)
    {
        var schema = server.NewSchema();
        await server.ExecuteAsync($"CREATE ROLE {schema} LOGIN CONNECTION LIMIT {Most}; GRANT CREATE ON DATABASE postgres TO {schema}");
        var connectionString = new NpgsqlConnectionStringBuilder(server.ConnectionString) { Username = schema, Timeout = 5 }.ConnectionString;
        await using var host = await JobsHost.StartAsync(jobs => jobs.UsePostgreSql(connectionString, options => (options.Schema, options.Lease) = (schema, TimeSpan.FromSeconds(lease))));
        var running = await host.Get<IJobs<IControlledClient>>().EnqueueAsync(one => one.Charge("a", "open"), cancellationToken: Stop);
        using var submitter = new Submitter(host);
        await submitter.UntilAsync(static answers => answers.Accepted.Count >= 20);
        while (host.Board.Lines.IsEmpty)
        {
            await Task.Delay(10, Stop);
        }

        var held = await HoldAllAsync(connectionString, schema);
        var refused = submitter.Refused.Count;
        await submitter.UntilAsync(answers => answers.Refused.Count >= refused + 3);
        Assert.Equal([WeirCodes.JobStoreUnavailable], submitter.Refused.Distinct());
        var question = await Assert.ThrowsAsync<CallRejectedException>(async () => await running.GetAsync(Stop));
        Assert.Equal(WeirCodes.JobStoreUnavailable, question.Code);

        // What runs goes to its end, which cannot be stored now; a short lease is over before it can be.
        host.Board.Open("open");
        while (!host.Board.Lines.Contains("end a open"))
        {
            await Task.Delay(10, Stop);
        }

        await Task.Delay(TimeSpan.FromSeconds(lease < 10 ? lease + 2 : 0), Stop);
        Assert.Equal($"{(int)JobState.Running}", $"{await server.QueryAsync($"SELECT state FROM {schema}.job WHERE id = '{running.Id}'")}");
        foreach (var connection in held)
        {
            await connection.DisposeAsync();
        }

        Assert.Equal(JobState.Succeeded, (await running.WaitAsync(Stop)).State);
        var accepted = submitter.Accepted.Count;
        await submitter.UntilAsync(answers => answers.Accepted.Count >= accepted + 20);
        await submitter.EndAsync();
        foreach (var (id, _) in submitter.Accepted)
        {
            Assert.Equal(JobState.Succeeded, (await host.Jobs.Get(id).WaitAsync(Stop)).State);
        }

        // Each that was accepted ran once. One whose answer was lost with its connection may be stored; one that was refused is not.
        var ran = host.Board.Lines.Where(static line => line.StartsWith("charge", StringComparison.Ordinal)).ToList();
        Assert.Equal(ran.Count, ran.Distinct().Count());
        Assert.Empty(submitter.Accepted.Select(static one => Line(one.Number)).Except(ran));
        Assert.Subset(submitter.Accepted.Select(static one => one.Number).Union(submitter.Unknown).Select(Line).ToHashSet(), ran.ToHashSet());
    }

    private static string Line(int number) => FormattableString.Invariant($"charge many {number}");

    // The sessions of the store are ended, and their places are taken before it has them again.
    private async Task<List<NpgsqlConnection>> HoldAllAsync(string connectionString, string role)
    {
        var held = new List<NpgsqlConnection>();
        while (held.Count < Most)
        {
            var connection = new NpgsqlConnection(connectionString + ";Pooling=false;Application Name=held");
            try
            {
                await connection.OpenAsync(Stop);
                held.Add(connection);
            }
            catch (PostgresException full) when (full.SqlState == PostgresErrorCodes.TooManyConnections)
            {
                await connection.DisposeAsync();
                await server.TerminateAsync($"usename = '{role}' AND application_name <> 'held'");
            }
        }

        return held;
    }

    /// <summary>Submits one job after the other, and keeps what it was answered.</summary>
    private sealed class Submitter : IDisposable
    {
        private readonly CancellationTokenSource _end = new();
        private readonly Task _work;

        public Submitter(JobsHost host) => _work = Task.Run(() => SubmitAsync(host.Reports));

        public ConcurrentQueue<(Guid Id, int Number)> Accepted { get; } = [];

        public ConcurrentQueue<string> Refused { get; } = [];

        public ConcurrentQueue<int> Unknown { get; } = [];

        public async Task UntilAsync(Func<Submitter, bool> condition)
        {
            while (!condition(this))
            {
                Assert.False(_work.IsCompleted, $"{_work.Exception}");
                await Task.Delay(10, Stop);
            }
        }

        public async Task EndAsync()
        {
            await _end.CancelAsync();
            await _work;
        }

        public void Dispose()
        {
            _end.Cancel();
            _end.Dispose();
        }

        private async Task SubmitAsync(IJobs<IReportsClient> reports)
        {
            for (var number = 0; !_end.IsCancellationRequested; number++)
            {
                try
                {
                    var job = await reports.EnqueueAsync(one => one.Charge("many", number), cancellationToken: Stop).AsTask().WaitAsync(Limit, Stop);
                    Accepted.Enqueue((job.Id, number));
                }
                catch (CallRejectedException refusal)
                {
                    Refused.Enqueue(refusal.Code);
                }
                catch (JobOutcomeUnknownException)
                {
                    Unknown.Enqueue(number);
                }

                await Task.Delay(5, Stop);
            }
        }
    }
}
