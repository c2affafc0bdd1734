using System.Security.Cryptography;
using RabbitMQ.Client.Exceptions;
using Weir.Jobs.RabbitMq.Diagnostics;
using Weir.Jobs.RabbitMq.Messages;
using Weir.Jobs.Recording;
using Weir.Jobs.Running;

namespace Weir.Jobs.RabbitMq.Intakes;

/// <summary>Takes the messages of one queue as jobs: connects, and connects again whatever has ended the connection, until the application stops.</summary>
/// <param name="options">Of the queue.</param>
/// <param name="engine">Has the store.</param>
/// <param name="recorder">Submits jobs.</param>
/// <param name="log">Its messages.</param>
/// <param name="meter">Counts messages.</param>
internal sealed class Intake(RabbitMqIntakeOptions options, JobEngine engine, JobRecorder recorder, IntakeLog log, IntakeMeter meter) : IDisposable
{
    private static readonly TimeSpan ShortestPause = TimeSpan.FromMilliseconds(200);
    private static readonly TimeSpan LongestPause = TimeSpan.FromSeconds(5);
    private static readonly TimeSpan QuietTime = TimeSpan.FromMinutes(1);

    private readonly CancellationTokenSource _stopping = new();
    private readonly MessageBinder _binder = new(options, engine.Kinds, recorder);
    private Task _running = Task.CompletedTask;
    private (string? Reason, long At) _logged;

    public string Queue => options.Queue!;

    public IntakeState State { get; } = new();

    /// <summary>What a person has to look at; <c>null</c> for nothing.</summary>
    public string? Finding => _running.IsCompleted ? null
        : !State.IsConnected ? $"Messages of the queue '{Queue}' are not taken: {State.Failure ?? "the broker is not connected yet."}"
        : State.Waiting is > 0 and var waiting ? $"{waiting} messages of the queue '{Queue}' wait: {State.WaitsFor}"
        : null;

    /// <summary>Messages are taken from now on.</summary>
    public void Begin() => _running = Task.Run(RunAsync);

    /// <summary>No more messages are taken. A second call changes nothing.</summary>
    public void BeginDrain() => _stopping.Cancel();

    /// <summary>Waits until the messages on their way are stored and acknowledged, and the connection is closed.</summary>
    public Task WhenDrainedAsync(CancellationToken cancellationToken)
    {
        BeginDrain();
        return _running.WaitAsync(cancellationToken);
    }

    /// <summary>As <see cref="BeginDrain"/>: a host that stops asks for the drain also after its services were disposed.</summary>
    public void Dispose() => BeginDrain();

    private async Task RunAsync()
    {
        var pause = ShortestPause;
        while (!_stopping.IsCancellationRequested)
        {
            var began = engine.Time.GetTimestamp();
            try
            {
                await using var session = await IntakeSession.OpenAsync(options, _binder, engine, recorder, State, log, meter, _stopping.Token);
                State.Connected();
                log.Connected(Queue, IntakeConfiguration.WithoutSecret(new Uri(options.Uri!)));
                _logged = default;
                Fail(await session.RunAsync(_stopping.Token), null);
            }
            catch (Exception) when (_stopping.IsCancellationRequested)
            {
                return;
            }
            catch (Exception failure)
            {
                // Whatever it is: the messages are in the queue, and may be taken later.
                Fail(Describe(failure), failure);
            }

            if (engine.Time.GetElapsedTime(began) > LongestPause)
            {
                pause = ShortestPause;
            }

            await WaitAsync(pause);
            pause = pause + pause < LongestPause ? pause + pause : LongestPause;
        }
    }

    private void Fail(string? reason, Exception? failure)
    {
        State.NotConnected(reason);

        // A broker that is away for a day is one line a minute.
        if (reason is not null && (reason != _logged.Reason || engine.Time.GetElapsedTime(_logged.At) > QuietTime))
        {
            _logged = (reason, engine.Time.GetTimestamp());
            log.NotTaken(Queue, reason, failure);
        }
    }

    // Half of it at random: the processes that lost a broker do not all come back at once.
    private async Task WaitAsync(TimeSpan pause)
    {
        try
        {
            await Task.Delay(pause * (0.5 + (RandomNumberGenerator.GetInt32(1_000) / 2_000.0)), engine.Time, _stopping.Token);
        }
        catch (OperationCanceledException)
        {
        }
    }

    private static string Describe(Exception failure) => failure switch
    {
        BrokerUnreachableException { InnerException: { } inner } => $"the broker cannot be reached. {Sentence(inner.Message)}",
        OperationInterruptedException { ShutdownReason: { } shutdown } => $"the broker has refused it. {Sentence(shutdown.ReplyText)}",
        _ => Sentence(failure.Message),
    };

    private static string Sentence(string text) => text.EndsWith('.') ? text : $"{text}.";
}
