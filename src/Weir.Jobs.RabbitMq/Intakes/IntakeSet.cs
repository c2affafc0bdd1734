using Weir.Jobs.RabbitMq.Diagnostics;
using Weir.Jobs.Recording;
using Weir.Jobs.Running;

namespace Weir.Jobs.RabbitMq.Intakes;

/// <summary>The intakes of an application, one for each queue.</summary>
internal sealed class IntakeSet : IDisposable
{
    private readonly JobEngine _engine;
    private readonly IntakeLog _log;

    /// <summary>Makes them. Nothing is opened.</summary>
    /// <exception cref="InvalidOperationException">An option is out of its range (WEIR3002).</exception>
    public IntakeSet(IEnumerable<IntakeConfiguration> configurations, JobEngine engine, JobRecorder recorder, IntakeLog log, IntakeMeter meter)
    {
        _engine = engine;
        _log = log;
        All = [.. configurations.Select(configuration => new Intake(configuration.Create(engine.Kinds), engine, recorder, log, meter))];
    }

    /// <summary>Each of them.</summary>
    public IReadOnlyList<Intake> All { get; }

    /// <summary>Messages are taken from now on, unless this process accepts no jobs.</summary>
    public void Begin()
    {
        // A test of an application has no broker.
        if (_engine.Runner.Driver is not null)
        {
            return;
        }

        foreach (var intake in All)
        {
            if (_engine.Accepts)
            {
                intake.Begin();
            }
            else
            {
                _log.NotAccepted(intake.Queue);
            }
        }
    }

    /// <summary>No more messages are taken. A second call changes nothing.</summary>
    public void BeginDrain()
    {
        foreach (var intake in All)
        {
            intake.BeginDrain();
        }
    }

    /// <summary>Waits until what was on its way is stored and acknowledged, and the connections are closed.</summary>
    public Task WhenDrainedAsync(CancellationToken cancellationToken) => Task.WhenAll(All.Select(intake => intake.WhenDrainedAsync(cancellationToken)));

    public void Dispose()
    {
        foreach (var intake in All)
        {
            intake.Dispose();
        }
    }
}
