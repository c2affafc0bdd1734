using System.Collections.Concurrent;
using Weir;

namespace Jobs;

/// <summary>
/// Calls a bank that does not always answer, and that takes one payment of a customer at a time. A payment must not run twice: it is not <c>[Idempotent]</c>, so that it is started once, and repeated only
/// after an exception, because its author asks for that by <c>Attempts</c>. <c>MaxPerKey</c> keeps the payments of a customer one after the other, and those of others do not wait for them.
/// </summary>
[Service]
public sealed class Payments
{
    // What the bank has, as an example: one entry for each customer whose payment runs.
    private static readonly ConcurrentDictionary<string, string> AtTheBank = new();

    [Job(Attempts = 4, Backoff = "00:00:00.100", Key = nameof(customer), MaxPerKey = 1)]
    public async Task<Receipt> Pay(string customer, string invoice, decimal amount, OperationContext context, CancellationToken ct = default)
    {
        context.Job?.Report(0.1, "asks the bank");
        if (!AtTheBank.TryAdd(customer, invoice))
        {
            throw new HttpRequestException("The bank has another payment of this customer.");
        }

        try
        {
            await Task.Delay(10, ct);

            // As an example, it refuses connections at the first two attempts.
            if (context.Job is { Attempt: < 3 })
            {
                throw new HttpRequestException("The bank refuses the connection.");
            }

            return new Receipt(invoice, amount, context.Job?.Attempt ?? 1);
        }
        finally
        {
            AtTheBank.TryRemove(customer, out _);
        }
    }
}
