using System.Globalization;
using System.Net;
using System.Net.Http.Headers;

namespace Weir.Http.FanOut;

/// <summary>
/// Starts requests as its bounds allow: in all, per host, and not to a host that asked for a delay. Hosts take turns. Thread-safe.
/// </summary>
internal sealed class RequestLimiter : IDisposable
{
    private readonly TimeProvider _time;
    private readonly int _most;
    private readonly int _mostPerHost;
    private readonly TimeSpan _longestDelay;
    private readonly AdaptiveBound? _adaptive;
    private readonly object _gate = new();

    // Under _gate. Hosts with requests or a delay; those whose next request may be sent, in turn.
    private readonly Dictionary<HostKey, HostQueue> _hosts = [];
    private readonly Queue<HostQueue> _listed = new();
    private int _inFlight;
    private bool _isStopped;

    public RequestLimiter(FanOutLimits limits)
    {
        _time = limits.TimeProvider;
        _most = limits.MaxConcurrency;
        _mostPerHost = limits.MaxPerHost ?? int.MaxValue;
        _longestDelay = limits.MaxRetryAfter;
        _adaptive = limits.IsAdaptive ? new AdaptiveBound(limits.MaxConcurrency) : null;
    }

    private bool HasPlace_NeedsGate => _inFlight < (_adaptive?.Current ?? _most);

    /// <summary>Adds a request; returns false after <see cref="Dispose"/>.</summary>
    /// <param name="key">Its host.</param>
    /// <param name="call">The request.</param>
    /// <param name="starts">Whether it may be sent now; otherwise <see cref="LimitedCall.Start"/> says when.</param>
    public bool TryAdd(HostKey key, LimitedCall call, out bool starts)
    {
        starts = false;
        lock (_gate)
        {
            if (_isStopped)
            {
                return false;
            }

            if (!_hosts.TryGetValue(key, out var host))
            {
                _hosts.Add(key, host = new HostQueue(key));
            }

            call.Queue = host;
            if (host.Waiting.Count > 0 || !HasPlace_NeedsGate || !MayStart_NeedsGate(host))
            {
                host.Waiting.AddLast(call);
                List_NeedsGate(host);
                return true;
            }

            Take_NeedsGate(call);
            starts = true;
            return true;
        }
    }

    /// <summary>Takes back a request that was not started; false if it was.</summary>
    public bool TryRemove(LimitedCall call)
    {
        lock (_gate)
        {
            var host = call.Queue!;
            if (!host.Waiting.Remove(call))
            {
                return false;
            }

            RemoveIfUnused_NeedsGate(host);
            return true;
        }
    }

    /// <summary>The headers of a response arrived: its status may change the bound, and its Retry-After delays others to its host.</summary>
    public void HeadersArrived(LimitedCall call, HttpResponseMessage response)
    {
        var isRefused = response.StatusCode is HttpStatusCode.TooManyRequests or HttpStatusCode.ServiceUnavailable;
        var delay = isRefused ? DelayOf(response.Headers) : TimeSpan.Zero;
        if (_adaptive is null && delay == TimeSpan.Zero)
        {
            return;
        }

        lock (_gate)
        {
            _adaptive?.Complete(isRefused, call.StartedAt, _time.GetTimestamp());
            if (delay > TimeSpan.Zero)
            {
                Delay_NeedsGate(call.Queue!, delay);
            }
        }
    }

    /// <summary>A started request has ended: another may start.</summary>
    public void End(LimitedCall call)
    {
        bool mayStart;
        lock (_gate)
        {
            var host = call.Queue!;
            _inFlight--;
            host.InFlight--;
            List_NeedsGate(host);
            RemoveIfUnused_NeedsGate(host);
            mayStart = _listed.Count > 0;
        }

        if (mayStart)
        {
            StartNext();
        }
    }

    /// <summary>Starts no more requests, and drops those that wait.</summary>
    public void Dispose()
    {
        var waiting = new List<LimitedCall>();
        lock (_gate)
        {
            _isStopped = true;
            foreach (var host in _hosts.Values)
            {
                waiting.AddRange(host.Waiting);
                host.Waiting.Clear();
                host.Delay?.Dispose();
                host.Delay = null;
            }

            _listed.Clear();
        }

        waiting.ForEach(static call => call.Drop());
    }

    private void StartNext()
    {
        while (true)
        {
            LimitedCall call;
            lock (_gate)
            {
                if (_isStopped || !HasPlace_NeedsGate || !_listed.TryDequeue(out var host))
                {
                    return;
                }

                host.IsListed = false;
                if (host.Waiting.Count == 0 || !MayStart_NeedsGate(host))
                {
                    RemoveIfUnused_NeedsGate(host);
                    continue;
                }

                call = host.Waiting.First!.Value;
                host.Waiting.RemoveFirst();
                Take_NeedsGate(call);
                List_NeedsGate(host);
            }

            call.Start();
        }
    }

    private void Take_NeedsGate(LimitedCall call)
    {
        call.StartedAt = _time.GetTimestamp();
        call.Queue!.InFlight++;
        _inFlight++;
    }

    private bool MayStart_NeedsGate(HostQueue host) => host.InFlight < _mostPerHost && host.Delay is null;

    private void List_NeedsGate(HostQueue host)
    {
        if (!host.IsListed && host.Waiting.Count > 0 && MayStart_NeedsGate(host))
        {
            host.IsListed = true;
            _listed.Enqueue(host);
        }
    }

    private void RemoveIfUnused_NeedsGate(HostQueue host)
    {
        if (host is { InFlight: 0, Waiting.Count: 0, IsListed: false, Delay: null })
        {
            _hosts.Remove(host.Key);
        }
    }

    private void Delay_NeedsGate(HostQueue host, TimeSpan delay)
    {
        // The longest delay counts.
        var until = _time.GetTimestamp() + (long)(delay.TotalSeconds * _time.TimestampFrequency);
        if (_isStopped || (host.Delay is not null && until <= host.DelayedUntil))
        {
            return;
        }

        host.Delay?.Dispose();
        host.DelayedUntil = until;
        host.Delay = _time.CreateTimer(static state => ((Action)state!)(), (Action)(() => EndDelay(host, until)), delay, Timeout.InfiniteTimeSpan);
    }

    private void EndDelay(HostQueue host, long until)
    {
        lock (_gate)
        {
            if (_isStopped || host.DelayedUntil != until)
            {
                return;
            }

            host.Delay?.Dispose();
            host.Delay = null;
            List_NeedsGate(host);
            RemoveIfUnused_NeedsGate(host);
        }

        StartNext();
    }

    // Of several the longest. Read from the text: the parsed header knows no more than 2^31 seconds, and there is no largest number.
    private TimeSpan DelayOf(HttpResponseHeaders headers)
    {
        var longest = TimeSpan.Zero;
        if (headers.NonValidated.TryGetValues("Retry-After", out var values))
        {
            foreach (var value in values)
            {
                var delay = DelayOf(value.AsSpan().Trim(" \t"));
                longest = delay > longest ? delay : longest;
            }
        }

        return longest;
    }

    private TimeSpan DelayOf(ReadOnlySpan<char> text)
    {
        if (!text.IsEmpty && !text.ContainsAnyExceptInRange('0', '9'))
        {
            return long.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out var seconds) && seconds < _longestDelay.TotalSeconds ? TimeSpan.FromSeconds(seconds) : _longestDelay;
        }

        if (RetryConditionHeaderValue.TryParse(text.ToString(), out var condition) && condition.Date is { } date && date - _time.GetUtcNow() is var left && left > TimeSpan.Zero)
        {
            return left < _longestDelay ? left : _longestDelay;
        }

        return TimeSpan.Zero;
    }
}
