using Weir.Execution.Inline;

namespace Weir.Tests.Execution;

public sealed class InlineLogTests
{
    private static readonly int Processors = Environment.ProcessorCount;

    private readonly RecordedEvents _log = new();

    public static TheoryData<string, int, int, bool, double, int> Causes => new()
    {
        { "Threads wait in operations", 5, 0, true, 0.1, 4403 },
        { "Threads wait in operations, and others compute", 5, 4, true, 0.9, 4403 },
        { "More threads compute", 5, 5 + Processors, true, 0.1, 4404 },
        { "All of them compute, on a machine that is busy with something else", 0, Processors, true, 0.1, 4404 },
        { "The process is busy elsewhere", 0, 0, true, 0.8, 4404 },
        { "Nothing is found", 0, 0, true, 0.1, 4405 },
        { "Threads are in operations, and the processors are idle", 5, 0, false, 0.1, 4403 },
        { "Threads are in operations, and the processors are busy", 5, 0, false, 0.8, 4404 },
    };

    [Theory]
    [MemberData(nameof(Causes))]
    public void The_cause_of_starvation_is_what_the_threads_in_operations_do_and_how_busy_the_processors_are(string what, int blocked, int computing, bool areKnown, double busy, int id)
    {
        Assert.NotEmpty(what);
        InlineLog.Starved(_log, TimeSpan.FromSeconds(1), new BlockedThreads(blocked > 0 ? [(Some.Operation(), blocked)] : [], computing, areKnown), busy);
        Assert.Equal(id, Assert.Single(_log.Events).Id);
    }

    [Fact]
    public void A_line_names_five_operations_at_most()
    {
        InlineLog.Starved(_log, TimeSpan.FromSeconds(1), new BlockedThreads([.. Enumerable.Range(1, 7).Select(static threads => (Some.Operation(), threads))], 0, true), 0);
        Assert.Contains("28 of ", _log.Events[0].Text, StringComparison.Ordinal);
        Assert.Contains("operations: Some/Answer (1), Some/Answer (2), Some/Answer (3), Some/Answer (4), Some/Answer (5). ", _log.Events[0].Text, StringComparison.Ordinal);
    }
}
