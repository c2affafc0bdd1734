using Weir.Lab.Engine;
using Weir.Tests;

namespace Weir.Lab.Tests.Engine;

public sealed class ExperimentRunTests
{
    private readonly List<string> _log = [];

    [Fact]
    public async Task Promises_are_weighed_from_the_rows_of_all_cases()
    {
        var result = await RunAsync([]);
        Assert.Equal(["one", "two"], result.Rows.Where(row => row.Contender == "a").Select(row => row.Case));
        Assert.Equal(2, Assert.Single(result.Promises).Readings.Count);
    }

    [Fact]
    public async Task Only_the_wanted_contenders_run()
    {
        var result = await RunAsync(["b"]);
        Assert.DoesNotContain(_log, entry => entry.StartsWith("a ", StringComparison.Ordinal));
        Assert.Null(Assert.Single(result.Promises).Value);
    }

    [Fact]
    public async Task What_cases_share_ends_once_after_the_last_of_them()
    {
        await RunAsync([]);
        Assert.Equal(1, _log.Count(entry => entry == Shared.Ended));
        Assert.Equal(Shared.Ended, _log[^1]);
    }

    [Fact]
    public async Task What_cases_share_ends_when_the_user_wishes_to_stop()
    {
        using var stop = new CancellationTokenSource();
        await stop.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => RunAsync([], cancellation: stop.Token));
        Assert.Equal(Shared.Ended, _log[^1]);
    }

    [Fact]
    public async Task Only_a_quick_run_leaves_something_out_and_says_what()
    {
        Assert.Equal("a third case", (await RunAsync([], Scale.Quick)).LeftOut);
        Assert.Null((await RunAsync([], Scale.Full)).LeftOut);
    }

    private Task<ExperimentResult> RunAsync(string[] only, Scale scale = Scale.Tiny, CancellationToken cancellation = default) =>
        new ExperimentRun(new ManualTime(), new SilentObserver(), scale) { Only = only }.RunAsync(new TwoCases(_log), cancellation);

    private sealed class Shared(List<string> log) : IAsyncDisposable
    {
        public const string Ended = "what is shared ends";

        public ValueTask DisposeAsync()
        {
            log.Add(Ended);
            return ValueTask.CompletedTask;
        }
    }

    private sealed class TwoCases(List<string> log) : Experiment
    {
        private static readonly string[] Names = ["one", "two"];

        public override string Name => "two-cases";

        public override string Question => "?";

        public override string? Document => null;

        public override string? QuickLeavesOut => "a third case";

        public override TimeSpan Estimate(Scale scale) => TimeSpan.FromSeconds(1);

        public override IEnumerable<Case> Cases(Scale scale)
        {
            var shared = new Shared(log);
            return Names.Select(name => new Case(name, [new RecordingContender("a", log), new RecordingContender("b", log)]) { Rounds = 1, Shared = shared });
        }

        public override IEnumerable<Promise> Promises(Measured measured, Scale scale) =>
            [Promise.Count("everywhere", measured.Everywhere("a", "rate"), Relation.AtLeast, 1)];
    }
}
