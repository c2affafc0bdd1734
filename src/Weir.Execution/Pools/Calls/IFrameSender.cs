using Weir.Protocol.Frames;

namespace Weir.Execution.Pools.Calls;

/// <summary>Sends frames of running calls to their worker.</summary>
internal interface IFrameSender
{
    /// <summary>Sends a frame of a call that the worker runs, on the data channel.</summary>
    void SendData<TState>(TState state, Action<FrameWriter, TState> write);
}
