using System.ComponentModel;

namespace Weir.Runtime;

/// <summary>
/// What is recorded of one request from its arrival until its response is written, where the application records (<see cref="Weir.RecordingOptions"/>). Of the flow that handles the request; used again for its next
/// one.
/// </summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public abstract class CallRecording
{
    private protected CallRecording()
    {
    }

    /// <summary>All phases of this request are timed: it waits for something while it is read. Before the call is run.</summary>
    public abstract void TimePhases();

    /// <summary>The request is answered. One that was answered without a call is not counted.</summary>
    public abstract void End();
}
