namespace Weir.Execution.Observation;

/// <summary>What is recorded of one call, from its begin to its outcome. A value.</summary>
internal readonly struct Recording
{
    private readonly int _version;

    // Of a call whose place goes back with its outcome, and of one without a place.
    private readonly Recorder? _recorder;
    private readonly OperationRecord? _record;
    private readonly long _began;

    /// <summary>Of a call that is recorded until its response is written: who gave it the place ends it.</summary>
    public Recording(RecordedCall call, int version) => (Call, _version) = (call, version);

    /// <summary>Of a call that ends with its outcome.</summary>
    /// <param name="recorder">Where the place goes back to.</param>
    /// <param name="record">The operation's counts.</param>
    /// <param name="call">The call's place; <c>null</c> for a call that is only counted, or timed without a place.</param>
    /// <param name="began">When it began; 0 for a call that is not timed.</param>
    public Recording(Recorder recorder, OperationRecord record, RecordedCall? call, long began) => (_recorder, _record, Call, _version, _began) = (recorder, record, call, call?.Version ?? 0, began);

    /// <summary>The call's place, for those that know more of it.</summary>
    public RecordedCall? Call { get; }

    /// <summary>The call has its outcome. Once.</summary>
    /// <param name="failure">What its caller gets; <c>null</c> for a result.</param>
    /// <param name="wasAwaited">Whether it did not complete at once: then the time until here is worth knowing.</param>
    public void End(Exception? failure, bool wasAwaited = false)
    {
        if (Call is { } call)
        {
            call.Returned(_version, failure, wasAwaited);
            if (_recorder is not null)
            {
                call.End();
                _recorder.Return(call);
            }
        }
        else if (_began != 0)
        {
            _recorder!.EndUnlisted(_record!, _began, failure);
        }
        else if (failure is not null)
        {
            _record!.Failed(failure);
        }
    }
}
