/* Start, drain and stop of source -> capture thread -> ring -> engine. README.md says what
 * maps to what. WRONG=1..4 are versions that must be found faulty. */
#ifndef WRONG
#define WRONG 0
#endif
#define SAMPLES 4  /* what the source has    */
#define CAPACITY 2 /* samples the ring holds */

/* The ring. */
byte written, consumed;
byte lost_before[SAMPLES]; /* of the segment that begins at this position */
byte lost_at_end;
bool closed, cancelled;

/* Requests. */
bool stop_asked;                /* weir_pipeline_stop                  */
bool capture_stop, interrupted; /* weir_capture_stop, class->interrupt */
bool in_read, stalled;

bool live;                        /* must not be kept waiting            */
byte received, transformed, lost; /* the accounts                        */
bool thread_done, freed, failed, finished;

#define GIVING_UP (capture_stop || cancelled)
#define ROOM (written - consumed < CAPACITY)

/* weir_capture_stop. An interrupt must hold for reads that begin later, too. */
inline stop_capture()
{
    capture_stop = true;
#if WRONG == 3
    if
    :: in_read -> interrupted = true
    :: else -> skip
    fi
#else
    interrupted = true
#endif
}

/* class->read: a sample, or a stall that only an interrupt ends. */
inline read_sample(got)
{
    in_read = true;
    if
    :: got = true
    :: stalled = true;
        interrupted;
        got = false
    fi;
    in_read = false
}

/* publish in capture.c. A file waits for room; of a live source the sample is lost. */
inline publish()
{
    if
    :: live -> skip
    :: !live -> (ROOM || GIVING_UP)
    fi;
    if
    :: ROOM ->
        assert(!freed);
        lost_before[written] = pending; /* the mark goes before the samples */
        pending = 0;
        received++;
        written++
    :: !ROOM && live ->
        pending++;
        received++
    :: !ROOM && !live -> skip /* given up: never counted as received */
    fi
}

proctype capture_thread()
{
    byte next = 0, pending = 0;
    bool got = false;
    do
    :: GIVING_UP || next == SAMPLES -> break
    :: else ->
        read_sample(got);
        if
        :: got ->
            next++;
            publish()
        :: !got -> skip
        fi
    od;
    assert(!freed);
    lost_at_end = pending; /* weir_ring_close: what was lost first, then the flag */
    closed = true;
    thread_done = true
}

/* weir_pipeline_run and weir_pipeline_close. */
proctype engine()
{
    bool stopping = false, saw_closed;
    byte saw_written;
    do
    :: true ->
        if
        :: stop_asked && !stopping ->
            stop_capture();
            stopping = true
        :: else -> skip
        fi;
        /* refresh_known: whoever sees `closed` sees the last samples. */
#if WRONG == 1
        saw_written = written;
        saw_closed = closed;
#else
        saw_closed = closed;
        saw_written = written;
#endif
        if
        :: saw_written > consumed ->
            if
            :: lost = lost + lost_before[consumed];
                transformed++;
                consumed++
            :: failed = true; /* the engine or a sink fails */
                break
            fi
        :: saw_written == consumed && saw_closed -> break
        :: saw_written == consumed && !saw_closed ->
            (written > consumed || closed || (stop_asked && !stopping)) /* wait_data */
        fi
    od;
    if
    :: failed && WRONG != 2 -> cancelled = true; stop_capture()
    :: else -> skip
    fi;
#if WRONG != 4
    thread_done; /* weir_capture_join */
#endif
    freed = true;
    lost = lost + lost_at_end;
    assert(failed || received == transformed + lost);
    assert(failed || live || stop_asked || transformed == SAMPLES);
    finished = true
}

/* A person stops at any moment or never, but does so when nothing comes any more. */
proctype user()
{
    if
    :: stop_asked = true
    :: skip
    fi;
end:
    stalled;
    stop_asked = true
}

init
{
    if
    :: live = true
    :: live = false
    fi;
    atomic {
        run capture_thread();
        run engine();
        run user()
    }
}
