using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Weir.Jobs.Storage;
using Weir.Jobs.Tests.Running;
using Weir.Jobs.Tests.Storage;

namespace Weir.Jobs.Tests.Faults;

/// <summary>What surrounds the engine of jobs fails: a commit of the store, a logger, an exception that cannot say what it is, the clock.</summary>
public sealed class SurroundingsTests
{
    private static CancellationToken Ct => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData("silent")]
    [InlineData("half")]
    [InlineData("long")]
    public async Task An_exception_that_cannot_be_described_ends_its_job_and_gives_back_its_place(string what)
    {
        using var host = await StartAsync(new UnluckyStore());
        var jobs = host.Services.GetRequiredService<IJobs<IUnluckyClient>>();
        foreach (var job in new[] { await jobs.EnqueueAsync(unlucky => unlucky.Throw(what)), await jobs.EnqueueAsync(unlucky => unlucky.Throw("next")) })
        {
            var info = await job.WaitAsync(Ct).WaitAsync(TimeSpan.FromSeconds(20), Ct);
            Assert.Equal((JobState.Failed, JobReason.Exception), (info.State, info.Reason));
        }
    }

    [Fact]
    public async Task A_logger_that_throws_keeps_no_job_from_its_end_and_no_commit_from_its_next_try()
    {
        var store = new UnluckyStore();
        using var host = await StartAsync(store, static builder => builder.Logging.AddProvider(new ThrowingLoggers()));
        var jobs = host.Services.GetRequiredService<IJobs<IUnluckyClient>>();
        await (await jobs.EnqueueAsync(unlucky => unlucky.Throw("a"))).WaitAsync(Ct).WaitAsync(TimeSpan.FromSeconds(20), Ct);
        store.Failures = 1;
        await Assert.ThrowsAsync<CallRejectedException>(async () => await jobs.EnqueueAsync(unlucky => unlucky.Return("b")));
        Assert.Equal("c", await (await jobs.EnqueueAsync(unlucky => unlucky.Return("c"))).ResultAsync(Ct).WaitAsync(TimeSpan.FromSeconds(20), Ct));
    }

    [Fact]
    public async Task A_commit_that_fails_leaves_no_timer_behind()
    {
        var store = new UnluckyStore();
        var time = new UnluckyTime();
        using var host = await StartAsync(store, builder => builder.Services.AddSingleton<TimeProvider>(time));
        var jobs = host.Services.GetRequiredService<IJobs<IUnluckyClient>>();
        store.Failures = 1;
        await Assert.ThrowsAsync<CallRejectedException>(async () => await jobs.EnqueueAsync(unlucky => unlucky.Return("a")));
        await Task.Delay(700, Ct);
        Assert.True(time.Changes < 10, $"Timers were set {time.Changes} times.");
        Assert.Equal("b", await (await jobs.EnqueueAsync(unlucky => unlucky.Return("b"))).ResultAsync(Ct));
    }

    [Fact]
    public async Task A_job_is_started_when_the_clock_says_so_also_where_it_was_set()
    {
        var time = new UnluckyTime { Speed = 600 };
        using var host = await StartAsync(new UnluckyStore(), builder => builder.Services.AddSingleton<TimeProvider>(time));
        var job = await host.Services.GetRequiredService<IJobs<IUnluckyClient>>().EnqueueAsync(unlucky => unlucky.Return("later"), new JobOptions { After = TimeSpan.FromDays(2) });
        time.Offset = TimeSpan.FromDays(3);

        // Within a minute, of which timers count 600 in one.
        Assert.Equal("later", await job.ResultAsync(Ct).WaitAsync(TimeSpan.FromSeconds(20), Ct));
    }

    private static async Task<IHost> StartAsync(IJobStore store, Action<HostApplicationBuilder>? configure = null)
    {
        var builder = Host.CreateEmptyApplicationBuilder(new HostApplicationBuilderSettings());
        builder.Services.AddSingleton(new Board());
        builder.Services.AddWeir();
        builder.Services.AddWeirJobs(jobs => jobs.Store = _ => store);
        configure?.Invoke(builder);
        var host = builder.Build();
        await host.StartAsync(Ct);
        return host;
    }

    /// <summary>Some commits fail.</summary>
    private sealed class UnluckyStore : StoreOverMemory
    {
        public int Failures { get; set; }

        public override ValueTask CommitAsync(JobBatch batch) => Failures-- > 0 ? throw new JobStoreException("No luck.") : Inner.CommitAsync(batch);
    }

    /// <summary>A clock that can be set, with timers that can be faster than it.</summary>
    private sealed class UnluckyTime : TimeProvider
    {
        private int _changes;

        public TimeSpan Offset { get; set; }

        public int Speed { get; init; } = 1;

        public int Changes => Volatile.Read(ref _changes);

        public override DateTimeOffset GetUtcNow() => base.GetUtcNow() + Offset;

        public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period) => new Timer(this, base.CreateTimer(callback, state, Faster(dueTime), Faster(period)));

        private TimeSpan Faster(TimeSpan time) => time == Timeout.InfiniteTimeSpan ? time : time / Speed;

        private sealed class Timer(UnluckyTime time, ITimer timer) : ITimer
        {
            public bool Change(TimeSpan dueTime, TimeSpan period)
            {
                Interlocked.Increment(ref time._changes);
                return timer.Change(time.Faster(dueTime), time.Faster(period));
            }

            public void Dispose() => timer.Dispose();

            public ValueTask DisposeAsync() => timer.DisposeAsync();
        }
    }

    /// <summary>Loggers of a disk that is full.</summary>
    private sealed class ThrowingLoggers : ILoggerProvider, ILogger
    {
        public ILogger CreateLogger(string categoryName) => categoryName == "Weir.Jobs" ? this : Microsoft.Extensions.Logging.Abstractions.NullLogger.Instance;

        public IDisposable? BeginScope<TState>(TState state)
            where TState : notnull => throw new IOException("No space is left.");

        public bool IsEnabled(LogLevel logLevel) => true;

        public void Log<TState>(LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter) => throw new IOException("No space is left.");

        public void Dispose()
        {
        }
    }
}
