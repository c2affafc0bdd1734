using RabbitMQ.Client;
using RabbitMQ.Client.Events;
using Weir.Jobs.RabbitMq.Diagnostics;
using Weir.Jobs.RabbitMq.Messages;
using Weir.Jobs.Recording;
using Weir.Jobs.Running;

namespace Weir.Jobs.RabbitMq.Intakes;

/// <summary>
/// One connection, from the first delivery to the last acknowledgement. A message is acknowledged when its job is durable, or when the broker has confirmed it as a dead letter; in any other case it stays unacknowledged, and its queue has it again when the
/// connection ends. The messages that it holds are bounded by the broker: <see cref="RabbitMqIntakeOptions.Prefetch"/>.
/// </summary>
internal sealed class IntakeSession : IAsyncDisposable
{
    private static readonly TimeSpan ShortestPause = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan LongestPause = TimeSpan.FromSeconds(10);

    // A broker closes a channel that has not acknowledged a delivery for 30 minutes (consumer_timeout). Each return counts as a delivery, and from version 4 on it allows 20.
    private static readonly TimeSpan LongestHold = TimeSpan.FromMinutes(10);

    // A store that does not answer keeps no host from its end: what is not acknowledged is delivered again.
    private static readonly TimeSpan LongestDrain = TimeSpan.FromSeconds(15);
    private static readonly TimeSpan CloseTime = TimeSpan.FromSeconds(3);

    private readonly RabbitMqIntakeOptions _options;
    private readonly MessageBinder _binder;
    private readonly JobEngine _engine;
    private readonly JobRecorder _recorder;
    private readonly IntakeState _state;
    private readonly IntakeLog _log;
    private readonly IntakeMeter _meter;
    private readonly IConnection _connection;
    private readonly DeadLetters _dead;
    private readonly TaskCompletionSource<string> _over = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly TaskCompletionSource _idle = new(TaskCreationOptions.RunContinuationsAsynchronously);

    // Ends pauses; ends submissions that are not handed to the store yet, too.
    private readonly CancellationTokenSource _draining = new();
    private readonly CancellationTokenSource _closed = new();

    private readonly Lock _gate = new();
    private IChannel? _channel;
    private string? _consumer;

    // Under _gate.
    private int _taken;
    private bool _takesNoMore;

    private IntakeSession(RabbitMqIntakeOptions options, MessageBinder binder, JobEngine engine, JobRecorder recorder, IntakeState state, IntakeLog log, IntakeMeter meter, IConnection connection)
    {
        (_options, _binder, _engine, _recorder, _state, _log, _meter, _connection) = (options, binder, engine, recorder, state, log, meter, connection);
        _dead = new DeadLetters(connection, options);
        connection.ConnectionShutdownAsync += OnShutdownAsync;
    }

    /// <summary>Connects, and has the queue's messages delivered.</summary>
    /// <exception cref="Exception">The broker cannot be reached, or does not let it.</exception>
    public static async Task<IntakeSession> OpenAsync(
        RabbitMqIntakeOptions options, MessageBinder binder, JobEngine engine, JobRecorder recorder, IntakeState state, IntakeLog log, IntakeMeter meter, CancellationToken cancellationToken)
    {
        var factory = new ConnectionFactory { Uri = new Uri(options.Uri!), ClientProvidedName = $"Weir jobs of {options.Queue}" };
        options.ConfigureConnection?.Invoke(factory);

        // It would not open a channel again that the broker has closed, and acknowledge on a connection that has no such delivery.
        factory.AutomaticRecoveryEnabled = false;
        factory.TopologyRecoveryEnabled = false;
        var session = new IntakeSession(options, binder, engine, recorder, state, log, meter, await factory.CreateConnectionAsync(cancellationToken));
        try
        {
            await session.BeginAsync(cancellationToken);
            return session;
        }
        catch
        {
            await session.DisposeAsync();
            throw;
        }
    }

    /// <summary>Takes messages until the connection or its channel is closed, or the application stops.</summary>
    /// <param name="stopping">The application stops: what is on its way is stored and acknowledged first.</param>
    /// <returns>Why no more are delivered; <c>null</c> where the application stops.</returns>
    public async Task<string?> RunAsync(CancellationToken stopping)
    {
        var stopped = new TaskCompletionSource<string>(TaskCreationOptions.RunContinuationsAsynchronously);
        await using (stopping.UnsafeRegister(static state => ((TaskCompletionSource<string>)state!).TrySetResult(""), stopped))
        {
            if (await Task.WhenAny(_over.Task, stopped.Task) == stopped.Task)
            {
                await DrainAsync();
                return null;
            }
        }

        // No acknowledgement reaches the broker any more.
        var reason = await _over.Task;
        _state.NotConnected(reason);
        await _draining.CancelAsync();
        await _closed.CancelAsync();
        EndTaking();
        await _idle.Task;
        return reason;
    }

    public async ValueTask DisposeAsync()
    {
        EndTaking();
        await _draining.CancelAsync();
        await _closed.CancelAsync();
        _connection.ConnectionShutdownAsync -= OnShutdownAsync;
        await _dead.DisposeAsync();
        if (_channel is not null)
        {
            // In this order: the broker reads what was acknowledged before, and returns the rest.
            await QuietlyAsync(static session => session._channel!.CloseAsync());
            await _channel.DisposeAsync();
        }

        await QuietlyAsync(static session => session._connection.CloseAsync(CloseTime));
        await _connection.DisposeAsync();
    }

    private async Task BeginAsync(CancellationToken cancellationToken)
    {
        _channel = await _connection.CreateChannelAsync(
            new CreateChannelOptions(publisherConfirmationsEnabled: false, publisherConfirmationTrackingEnabled: false, consumerDispatchConcurrency: 1), cancellationToken);
        _channel.ChannelShutdownAsync += OnShutdownAsync;
        await Topology.PrepareAsync(_channel, _options, cancellationToken);
        await _channel.BasicQosAsync(0, (ushort)_options.Prefetch, global: false, cancellationToken);
        var consumer = new IntakeConsumer(_channel, Take, reason => _over.TrySetResult(reason));
        _consumer = await _channel.BasicConsumeAsync(_options.Queue!, autoAck: false, "", noLocal: false, exclusive: false, arguments: null, consumer, cancellationToken);
    }

    private void Take(IntakeMessage message)
    {
        lock (_gate)
        {
            if (_takesNoMore)
            {
                return;
            }

            _taken++;
        }

        // Without waiting: the jobs of all messages that are here go into one commit. What binds them runs on the client's thread, one after the other.
        _ = HandleAsync(message);
    }

    private async Task HandleAsync(IntakeMessage message)
    {
        var isWaiting = false;
        try
        {
            var began = _engine.Time.GetTimestamp();
            for (var pause = ShortestPause; ; pause = pause + pause < LongestPause ? pause + pause : LongestPause)
            {
                if (await TryTakeAsync(message) is not { } failure)
                {
                    await AcknowledgeAsync(message);
                    return;
                }

                if (!isWaiting)
                {
                    isWaiting = true;
                    if (_state.BeginWait(failure.Message))
                    {
                        _log.Held(_options.Queue!, failure);
                    }
                }

                if (_engine.Time.GetElapsedTime(began) > LongestHold)
                {
                    await ReturnAsync(message);
                    return;
                }

                await Task.Delay(failure is CallRejectedException { RetryAfter: { } after } && after > pause && after < LongestPause ? after : pause, _engine.Time, _draining.Token);
            }
        }
        catch (OperationCanceledException)
        {
            // It is delivered again.
        }
        finally
        {
            if (isWaiting)
            {
                _state.EndWait();
            }

            lock (_gate)
            {
                if (--_taken == 0 && _takesNoMore)
                {
                    _idle.TrySetResult();
                }
            }
        }
    }

    // Whether it may be acknowledged: null, or why not yet.
    private async Task<Exception?> TryTakeAsync(IntakeMessage message)
    {
        NewJobRequest request;
        try
        {
            request = _binder.Bind(message);
        }
        catch (Exception refused)
        {
            // Whatever it is, code of the application's validation, too: it would be so with the next delivery.
            return await TryRefuseAsync(message, refused);
        }

        try
        {
            await _recorder.SubmitAsync([request], _closed.Token);
        }
        catch (JobKeyReusedException refused)
        {
            return await TryRefuseAsync(message, refused);
        }
        catch (Exception failure) when (failure is not OperationCanceledException)
        {
            // Nothing was stored, or it is not known: the message id makes another submission harmless.
            return failure;
        }

        if (request.Job.Existing is null)
        {
            _meter.Accepted(_options.Queue!);
        }
        else
        {
            _meter.Existing(_options.Queue!);
        }

        return null;
    }

    private async Task<Exception?> TryRefuseAsync(IntakeMessage message, Exception refused)
    {
        var reason = MessageBinder.Describe(refused);
        try
        {
            await _dead.PublishAsync(message, _binder.KindToKeep(message), reason, _closed.Token);
        }
        catch (Exception failure) when (failure is not OperationCanceledException)
        {
            return new InvalidOperationException($"A message that cannot become a job cannot be published to the dead letters: {failure.Message} The message cannot become a job because of this: {reason}", failure);
        }

        _meter.Refused(_options.Queue!);
        _log.Refused(_options.Queue!, message.Id, reason);
        return null;
    }

    private async Task AcknowledgeAsync(IntakeMessage message)
    {
        try
        {
            await _channel!.BasicAckAsync(message.Tag, multiple: false, CancellationToken.None);
        }
        catch (Exception)
        {
            // The connection is gone: the message is delivered again, and its job is there.
        }
    }

    private async Task ReturnAsync(IntakeMessage message)
    {
        try
        {
            await _channel!.BasicNackAsync(message.Tag, multiple: false, requeue: true, CancellationToken.None);
            _meter.Returned(_options.Queue!);
        }
        catch (Exception)
        {
            // As above.
        }
    }

    private async Task DrainAsync()
    {
        // The broker delivers no more; what is here and not taken yet goes back with the end of the channel.
        await QuietlyAsync(static session => session._channel!.BasicCancelAsync(session._consumer!));
        EndTaking();
        await _draining.CancelAsync();
        try
        {
            await _idle.Task.WaitAsync(LongestDrain, _engine.Time);
        }
        catch (TimeoutException)
        {
            int left;
            lock (_gate)
            {
                left = _taken;
            }

            _log.LeftBehind(left, _options.Queue!);
        }
    }

    private void EndTaking()
    {
        lock (_gate)
        {
            _takesNoMore = true;
            if (_taken == 0)
            {
                _idle.TrySetResult();
            }
        }
    }

    private async Task QuietlyAsync(Func<IntakeSession, Task> act)
    {
        try
        {
            await act(this).WaitAsync(CloseTime, _engine.Time);
        }
        catch (Exception)
        {
            // The connection is gone, which is what this was for.
        }
    }

    private Task OnShutdownAsync(object sender, ShutdownEventArgs shutdown)
    {
        var reason = (shutdown.Exception?.Message ?? shutdown.ReplyText).TrimEnd('.');
        _over.TrySetResult($"the connection is gone. {reason}.");
        return Task.CompletedTask;
    }
}
