using System.ComponentModel;
using System.Globalization;

namespace Weir;

/// <summary>
/// Thrown by an operation that runs as a job: <i>nothing was done, run me again</i>. It is no failure and does not count towards <see cref="JobAttribute.Attempts"/>; after 1,000 of them the job
/// fails. Allowed without <see cref="IdempotentAttribute"/>. In a direct call it is an exception like any other.
/// </summary>
public sealed class JobRetryException : Exception
{
    // The message of an exception is what a worker sends of it.
    private const string AfterText = "; run it again after ";

    /// <summary>Asks for another run.</summary>
    /// <param name="after">How long to wait before, zero to 365 days.</param>
    /// <param name="reason">Why; kept with the attempt. <c>null</c> to say nothing.</param>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="after"/> is negative, or longer than 365 days.</exception>
    public JobRetryException(TimeSpan after, string? reason = null)
        : base($"{reason ?? "The operation asked for it"}{AfterText}{after:c}")
    {
        if (after < TimeSpan.Zero || after.TotalDays > 365)
        {
            throw new ArgumentOutOfRangeException(nameof(after), after, "Set it to zero to 365 days.");
        }

        After = after;
    }

    /// <summary>How long to wait before the next run.</summary>
    public TimeSpan After { get; }

    /// <summary>What the message of such an exception says. For the code that runs jobs.</summary>
    /// <param name="message">The message.</param>
    /// <param name="after">How long to wait before the next run.</param>
    [EditorBrowsable(EditorBrowsableState.Never)]
    public static bool TryReadAfter(string message, out TimeSpan after)
    {
        after = default;
        var at = message.LastIndexOf(AfterText, StringComparison.Ordinal);
        return at >= 0 && TimeSpan.TryParseExact(message.Substring(at + AfterText.Length), "c", CultureInfo.InvariantCulture, out after) && after >= TimeSpan.Zero && after.TotalDays <= 365;
    }
}
