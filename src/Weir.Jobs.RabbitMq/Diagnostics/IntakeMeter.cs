using System.Diagnostics.Metrics;

namespace Weir.Jobs.RabbitMq.Diagnostics;

/// <summary>The instrument of intakes, in the meter <c>Weir</c>. Any thread. <c>docs/guide/meters.md</c> has all instruments in one table.</summary>
internal sealed class IntakeMeter
{
    private readonly Counter<long> _messages;

    /// <summary>The instrument.</summary>
    /// <param name="factory">Of the application; <c>null</c> for none.</param>
    public IntakeMeter(IMeterFactory? factory)
    {
        var meter = factory?.Create(new MeterOptions("Weir")) ?? new Meter("Weir");
        _messages = meter.CreateCounter<long>("weir.job.intake.messages", "{message}", "Messages of a broker, by what became of them.");
    }

    /// <summary>A message is a new job.</summary>
    public void Accepted(string queue) => Add(queue, "accepted");

    /// <summary>The job of a message was there.</summary>
    public void Existing(string queue) => Add(queue, "existing");

    /// <summary>A message went to the dead letters.</summary>
    public void Refused(string queue) => Add(queue, "refused");

    /// <summary>A message went back to its queue.</summary>
    public void Returned(string queue) => Add(queue, "returned");

    private void Add(string queue, string outcome)
    {
        if (!_messages.Enabled)
        {
            return;
        }

        try
        {
            _messages.Add(1, new("weir.job.intake.queue", queue), new("weir.job.intake.outcome", outcome));
        }
        catch (Exception)
        {
            // A listener is foreign code, and what it throws is no reason to lose a message.
        }
    }
}
