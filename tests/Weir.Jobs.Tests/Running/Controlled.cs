using System.ComponentModel.DataAnnotations;
using System.Globalization;

namespace Weir.Jobs.Tests.Running;

/// <summary>Operations whose jobs are limited, scheduled and edited.</summary>
[Service]
public sealed class Controlled(Board board)
{
    [Job(Key = nameof(customer), MaxPerKey = 1)]
    public async Task Charge(string customer, string gate, CancellationToken ct)
    {
        board.Add($"start {customer} {gate}");
        await board.Gate(gate).WaitAsync(ct);
        board.Add($"end {customer} {gate}");
    }

    [Job(MaxTotal = 1)]
    public async Task<string> OneAtATime(string name, string gate, CancellationToken ct)
    {
        board.Add(name);
        await board.Gate(gate).WaitAsync(ct);
        return name;
    }

    [Job]
    public string Checked([Range(1, 10)] int number, string text = "none", byte[]? bytes = null) => $"{number} {text} {bytes?.Length ?? 0}";

    [Job]
    public string FailsUnless(string word) => word == "right" ? word : throw new InvalidOperationException($"'{word}' is not right.");

    // Once a year, so that no test with a real clock meets it.
    [Job, Schedule("0 3 1 1 *", TimeZone = "Europe/Berlin")]
    public void Yearly(OperationContext context) => board.Add($"yearly {context.Job!.ScheduledFor.ToString("yyyy-MM-dd HH:mm", CultureInfo.InvariantCulture)}");

    [Job(Timeout = null)]
    public Task Gated(OperationContext context, string gate = "gated", CancellationToken ct = default)
    {
        board.Add($"gated {context.Job!.ScheduledFor.ToString("HH:mm", CultureInfo.InvariantCulture)}");
        return board.Gate(gate).WaitAsync(ct);
    }
}
