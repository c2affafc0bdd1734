using System.Runtime.ExceptionServices;

namespace Weir.Jobs.Payloads;

/// <summary>What is stored of an exception, and the exception that those who ask for the result get.</summary>
internal static class JobFailures
{
    /// <summary>What is stored.</summary>
    public static JobFailure Of(Exception thrown)
    {
        try
        {
            return Describe(thrown);
        }
        catch (Exception failure)
        {
            // The user's exception. One that cannot say what it is must not keep its job from ending.
            return new JobFailure { Type = thrown.GetType().FullName, Message = $"Its text cannot be read: {failure.GetType()}." };
        }
    }

    private static JobFailure Describe(Exception thrown) => thrown switch
    {
        RemoteException remote => new()
        {
            Type = remote.TypeName,
            Message = remote.Message,
            Stack = remote.RemoteStackTrace,
            Pool = remote.Pool,
            ProcessId = remote.ProcessId,
        },
        WorkerLostException lost => new()
        {
            Type = typeof(WorkerLostException).FullName,
            Message = lost.Message,
            Code = lost.Code,
            Pool = lost.Pool,
            ProcessId = lost.ProcessId,
            Cause = lost.Cause,
            ReportId = lost.ReportId,
        },
        BindingException binding => new() { Type = typeof(BindingException).FullName, Message = binding.Message, Code = binding.Code, BindingErrors = binding.Errors },
        OperationStatusException status => new()
        {
            Type = typeof(OperationStatusException).FullName,
            Message = status.Message,
            Code = status.Code,
            Status = status.StatusCode,
            Content = status.Content,
            Headers = status.Headers,
        },
        WeirException weir => new() { Type = weir.GetType().FullName, Message = weir.Message, Code = weir.Code, Stack = weir.StackTrace },
        _ => new() { Type = thrown.GetType().FullName, Message = thrown.Message, Stack = thrown.ToString() },
    };

    /// <summary>What a caller of the operation would catch.</summary>
    /// <param name="failure">What was stored.</param>
    /// <param name="operation">The operation; <c>null</c> where this process does not know the kind.</param>
    public static Exception ToException(JobFailure failure, Operation? operation) => failure.Code switch
    {
        null => Thrown(failure, operation),
        WeirCodes.BadArguments => new BindingException(failure.BindingErrors),
        WeirCodes.OperationStatus when failure.Status is >= 300 and <= 599 => new OperationStatusException(failure.Status, failure.Content, failure.Headers),
        WeirCodes.DeadlineExceeded => new DeadlineExceededException(failure.Message),
        _ when failure.Type == typeof(WorkerLostException).FullName =>
            new WorkerLostException(failure.Code, failure.Message, failure.Pool ?? "", failure.ProcessId, failure.Cause ?? "", failure.ReportId),
        _ => Remote(failure),
    };

    private static Exception Thrown(JobFailure failure, Operation? operation)
    {
        foreach (var declared in operation?.Throws ?? [])
        {
            if (declared.TypeName == failure.Type)
            {
                try
                {
                    var exception = declared.Create(failure.Message);
                    return failure.Stack is null ? exception : ExceptionDispatchInfo.SetRemoteStackTrace(exception, $"{failure.Stack}\n   --- job ---");
                }
                catch (Exception)
                {
                    // The user's constructor. One that throws must not hide what the job threw.
                    break;
                }
            }
        }

        return Remote(failure);
    }

    private static RemoteException Remote(JobFailure failure) => new(failure.Type ?? "", failure.Message, failure.Stack, failure.Pool ?? "", failure.ProcessId);
}
