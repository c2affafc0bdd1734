namespace Weir.Execution.Observation;

/// <summary>What is recorded of one call, from its begin to its end. A value.</summary>
/// <param name="record">The operation's counts.</param>
/// <param name="call">The call's place; <c>null</c> for a call that is only counted, or timed without a place.</param>
/// <param name="recorder">Where the place goes back to.</param>
/// <param name="began">When it began; 0 for a call that is not timed.</param>
internal readonly struct Recording(OperationRecord record, RecordedCall? call, Recorder recorder, long began)
{
    /// <summary>The call's place, for those that know more of it.</summary>
    public RecordedCall? Call => call;

    /// <summary>The call has its outcome. Once.</summary>
    /// <param name="failure">What its caller gets; <c>null</c> for a result.</param>
    public void End(Exception? failure)
    {
        if (call is not null)
        {
            call.End(failure);
            recorder.Return(call);
        }
        else if (began != 0)
        {
            recorder.EndUnlisted(record, began, failure);
        }
        else if (failure is not null)
        {
            record.Failed(failure);
        }
    }
}
