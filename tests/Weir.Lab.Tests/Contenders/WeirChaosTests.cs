using Weir.Lab.Contenders.OnWeir;

namespace Weir.Lab.Tests.Contenders;

public sealed class WeirChaosTests
{
    [Fact]
    public async Task A_call_without_an_ending_in_its_time_hangs() =>
        Assert.Equal("hung 7", await WeirChaos.EndingOfAsync(7, new TaskCompletionSource().Task, TimeSpan.FromMilliseconds(1)));

    [Fact]
    public async Task A_call_that_ended_well_is_done() => Assert.Equal("ok 7", await EndingAsync(Task.CompletedTask));

    [Fact]
    public async Task A_call_that_ran_names_the_worker_it_was_lost_with() =>
        Assert.Equal("failed 7 42", await EndingAsync(Lost("The worker 42 of pool 'tasks' ended while it ran A/B: signal 9. Whether the call had effects is unknown.")));

    [Fact]
    public async Task A_call_that_did_not_run_names_no_worker()
    {
        Assert.Equal("failed 7", await EndingAsync(Lost("3 workers of pool 'tasks' ended before they had started A/B; the last one was worker 42: signal 9. The call did not run.")));
        Assert.Equal("failed 7", await EndingAsync(Task.FromException(new CallRejectedException(WeirCodes.QueueFull, "full"))));
    }

    private static Task<string> EndingAsync(Task call) => WeirChaos.EndingOfAsync(7, call, TimeSpan.FromSeconds(10));

    private static Task Lost(string message) => Task.FromException(new WorkerLostException(WeirCodes.WorkerLost, message, "tasks", 42, "signal 9 (SIGKILL)"));
}
