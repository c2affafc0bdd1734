using System.ComponentModel;

namespace Weir.Runtime;

/// <summary>What every generated proxy has besides its contract: a way to send its calls through another invoker.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public interface IProxy
{
    /// <summary>What its calls go through.</summary>
    CallInvoker Invoker { get; }

    /// <summary>A proxy of the same contract.</summary>
    /// <param name="invoker">What its calls go through.</param>
    object Over(CallInvoker invoker);
}
