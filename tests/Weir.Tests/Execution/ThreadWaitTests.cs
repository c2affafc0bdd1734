using Weir.Execution;
using Weir.Tests.Contract;

namespace Weir.Tests.Execution;

public sealed class ThreadWaitTests
{
    [Fact]
    public void A_thread_that_was_interrupted_waits_for_the_ending_of_its_next_call_and_not_of_the_last()
    {
        var (first, second) = (NewCall(), NewCall());
        var hasFirstEnded = false;
        var wasInterrupted = false;
        int? seen = null;
        var thread = new Thread(() =>
        {
            try
            {
                WaitFor(first);
            }
            catch (ThreadInterruptedException)
            {
                wasInterrupted = true;
            }

            while (!Volatile.Read(ref hasFirstEnded))
            {
                Thread.Yield();
            }

            WaitFor(second);
            seen = second.Value;
        });
        thread.Start();

        UntilItSleeps(thread);
        thread.Interrupt();
        first.End();
        Volatile.Write(ref hasFirstEnded, true);
        UntilItSleeps(thread);
        second.Value = 2;
        second.End();
        thread.Join();

        Assert.Equal((true, 2), (wasInterrupted, seen));
    }

    private static NumberCall NewCall() => (NumberCall)NumberCall.NewOperation().RentCall();

    private static void WaitFor(Call call)
    {
        var wait = ThreadWait.OfThisThread;
        wait.Expect(call);
        wait.For(call);
    }

    private static void UntilItSleeps(Thread thread)
    {
        while (thread.IsAlive && !thread.ThreadState.HasFlag(ThreadState.WaitSleepJoin))
        {
            Thread.Yield();
        }
    }
}
