using Weir.AspNetCore.Endpoints;
using Weir.Tests.Execution;

namespace Weir.Tests.AspNetCore;

public sealed class ContractRefusalsTests
{
    [Fact]
    public void The_first_refusal_is_logged_at_once_and_the_others_of_10_seconds_with_the_next()
    {
        var (time, log) = (new ManualTime(), new RecordedEvents());
        var refusals = new ContractRefusals(Some.Operation(), log, time);
        for (var i = 0; i < 1000; i++)
        {
            refusals.Note("0000000000000001", new string('f', 30_000));
        }

        var (id, text) = Assert.Single(log.Events);
        Assert.Equal(4214, id);
        Assert.InRange(text.Length, 100, 400);
        Assert.Contains("0 more were refused", text, StringComparison.Ordinal);

        time.Advance(TimeSpan.FromSeconds(10));
        refusals.Note("0000000000000001", "2");
        Assert.Contains("the client knows 2. 999 more were refused", log.Events[1].Text, StringComparison.Ordinal);
    }
}
