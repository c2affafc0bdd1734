using Weir.Protocol;

namespace Weir.Execution.Processes;

/// <summary>How a thread of the thread pool polls for answers: as long as it is worth it, and nothing else waits for a thread. One thread at a time.</summary>
/// <param name="time">The clock.</param>
/// <param name="isNeeded">Whether something else waits for a thread.</param>
/// <param name="longest">The longest it polls.</param>
internal sealed class AnswerPoll(TimeProvider time, Func<bool> isNeeded, TimeSpan longest)
{
    private SpinRule _rule = new(time.TimestampFrequency, longest);

    /// <summary>Whether something else waits for a thread.</summary>
    public bool IsNeeded => isNeeded();

    /// <summary>For the threads of this process.</summary>
    public static AnswerPoll OfThreadPool(TimeSpan longest) => new(TimeProvider.System, static () => ThreadPool.PendingWorkItemCount > 0, longest);

    /// <summary>Polls until there is something to go on with. Where it does not come soon, that is left to the reader.</summary>
    /// <param name="reader">Whose answers.</param>
    /// <param name="resumer">Goes on with whoever awaits them; it has nothing yet.</param>
    /// <returns>Whether it has something now.</returns>
    public bool TryPoll(IAnswerReader reader, IResumer resumer)
    {
        if (!_rule.Begin(time.GetTimestamp()))
        {
            return false;
        }

        while (!IsNeeded && reader.TryReadAhead(resumer) && resumer.IsFree)
        {
            Thread.Yield();
            var now = time.GetTimestamp();
            if (!_rule.GoOn(now))
            {
                if (_rule.BarredFor(now) is var penalty && penalty > TimeSpan.Zero)
                {
                    reader.Bar(penalty);
                }

                return false;
            }
        }

        return !resumer.IsFree;
    }
}
