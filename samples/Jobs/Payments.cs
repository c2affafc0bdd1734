using Weir;

namespace Jobs;

/// <summary>
/// Calls a bank that does not always answer. A payment must not run twice: it is not <c>[Idempotent]</c>, so that it is started once, and repeated only after an exception, because its author asks for that
/// by <c>Attempts</c>.
/// </summary>
[Service]
public sealed class Payments
{
    [Job(Attempts = 4, Backoff = "00:00:00.100")]
    public async Task<Receipt> Pay(string invoice, decimal amount, OperationContext context, CancellationToken ct = default)
    {
        context.Job?.Report(0.1, "asks the bank");
        await Task.Delay(10, ct);

        // The bank, as an example: it refuses connections at the first two attempts.
        if (context.Job is { Attempt: < 3 })
        {
            throw new HttpRequestException("The bank refuses the connection.");
        }

        return new Receipt(invoice, amount, context.Job?.Attempt ?? 1);
    }
}
