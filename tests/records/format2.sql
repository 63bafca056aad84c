-- SPDX-License-Identifier: Apache-2.0
-- A file of records of format 2, as Lathe 0.1.0 wrote it: a study of a softmax, three trials. Two were accepted: the faster one
-- by the median is the later, which was held against the model; the earlier one has the lower upper end.
CREATE TABLE model (key TEXT PRIMARY KEY, blob BLOB NOT NULL);
INSERT INTO "model" VALUES('key',X'6100FF');
CREATE TABLE round (task INTEGER NOT NULL REFERENCES task (id), number INTEGER NOT NULL, opinion TEXT NOT NULL, asked INTEGER NOT NULL, count INTEGER NOT NULL, spearman REAL NOT NULL, told INTEGER NOT NULL, pairs REAL NOT NULL, recall1 REAL NOT NULL, recall5 REAL NOT NULL, recall16 REAL NOT NULL, peak5 REAL NOT NULL, PRIMARY KEY (task, number, opinion));
INSERT INTO "round" VALUES(1,1,'prior',1,2,1.0,1,1.0,1.0,1.0,1.0,1.0);
CREATE TABLE stale (trial INTEGER PRIMARY KEY REFERENCES trial (id) ON DELETE CASCADE, program TEXT NOT NULL);
INSERT INTO "stale" VALUES(3,'an earlier one');
CREATE TABLE study (id INTEGER PRIMARY KEY, uid TEXT NOT NULL UNIQUE, name TEXT NOT NULL, model TEXT NOT NULL, model_hash TEXT NOT NULL, machine TEXT NOT NULL, threads INTEGER NOT NULL, numerics TEXT NOT NULL, search TEXT NOT NULL, program TEXT NOT NULL, started INTEGER NOT NULL, state TEXT NOT NULL);
INSERT INTO "study" VALUES(1,'08fc22784cef755868c343345d93b939','softmax','softmax.onnx','719f6439250838ebe40349e56ac67b00','AMD EPYC; x86_64-pc-linux-gnu:znver4:-mwaitx,-pku,-rdpru,-wbnoinvd:vector=512,cores=2,l1=32768,l2=1048576,l3=335544320',1,'default','random','0.1.0',1760000000,'ended');
CREATE TABLE task (id INTEGER PRIMARY KEY, study INTEGER NOT NULL REFERENCES study (id), workload INTEGER NOT NULL REFERENCES workload (id), calls REAL NOT NULL, seconds REAL NOT NULL, in_place TEXT NOT NULL, UNIQUE (study, workload));
INSERT INTO "task" VALUES(1,1,1,1.0,0.0,'kept');
CREATE TABLE trial (id INTEGER PRIMARY KEY, task INTEGER NOT NULL REFERENCES task (id), number INTEGER NOT NULL, program TEXT NOT NULL, answers TEXT NOT NULL, trace TEXT NOT NULL, made TEXT NOT NULL, parent TEXT NOT NULL, round INTEGER NOT NULL, verdict TEXT NOT NULL, message TEXT NOT NULL, us REAL NOT NULL, ratio_low REAL NOT NULL, ratio REAL NOT NULL, ratio_high REAL NOT NULL, accepted INTEGER NOT NULL, seconds REAL NOT NULL, prior REAL NOT NULL, predicted REAL, UNIQUE (task, program));
INSERT INTO "trial" VALUES(1,1,0,'fe848202e03e875c811adaca0e571c18','{"b0.partials":[16],"b1.place":[0],"b1.width":[16],"b2.partials":[16],"b3.place":[1],"b4.rows":[1],"b4.width":[16]}','choose numbers(0, 1) texts("b1.place", "place") gives(0)
choose numbers(0, 1) texts("b3.place", "place") gives(1)
computeInline blocks(#3)
loops blocks(#4) gives(0, 1)
choose numbers(1) texts("b4.rows") gives(1)
loops blocks(#0) gives(2, 3, 4)
choose numbers(16, 32, 64) texts("b0.partials") gives(16)
split loops(4) numbers(-1, $b0.partials) gives(5, 6)
rfactor loops(6) numbers(-1) makes(#5)
loops blocks(#2) gives(7, 8, 9)
choose numbers(16, 32, 64) texts("b2.partials") gives(16)
split loops(9) numbers(-1, $b2.partials) gives(10, 11)
rfactor loops(11) numbers(-1) makes(#6)
computeAt blocks(#2) loops(0)
computeAt blocks(#6) loops(0)
computeAt blocks(#1) loops(0)
computeAt blocks(#0) loops(0)
computeAt blocks(#5) loops(0)
setScope blocks(#5) numbers(0) texts("local")
setScope blocks(#0) numbers(0) texts("local")
setScope blocks(#1) numbers(0) texts("local")
setScope blocks(#6) numbers(0) texts("local")
setScope blocks(#2) numbers(0) texts("local")
setScope blocks(#5) numbers(0) texts("local")
loops blocks(#5) gives(0, 12, 13, 14, 15)
reorder loops(15, 14)
decomposeReduction blocks(#5) loops(15) makes(#7)
vectorize loops(14)
loops blocks(#7) gives(0, 12, 13, 16)
vectorize loops(16)
loops blocks(#0) gives(0, 17, 18, 19)
decomposeReduction blocks(#0) loops(19) makes(#8)
vectorize loops(19)
setScope blocks(#6) numbers(0) texts("local")
loops blocks(#6) gives(0, 20, 21, 22, 23)
reorder loops(23, 22)
decomposeReduction blocks(#6) loops(23) makes(#9)
vectorize loops(22)
loops blocks(#9) gives(0, 20, 21, 24)
vectorize loops(24)
loops blocks(#2) gives(0, 25, 26, 27)
decomposeReduction blocks(#2) loops(27) makes(#10)
vectorize loops(27)
choose numbers(16, 32, 64) texts("b4.width") gives(16)
split loops(1) numbers(-1, $b4.width) gives(28, 29)
vectorize loops(29)
loops blocks(#1) gives(0, 30, 31)
choose numbers(16, 32, 64) texts("b1.width") gives(16)
split loops(31) numbers(-1, $b1.width) gives(32, 33)
vectorize loops(33)
parallel loops(0)
','default','',0,'measured','',2.35662545529164296764e-01,1.0,1.0,1.0,0,0.0,12.0,NULL);
INSERT INTO "trial" VALUES(2,1,1,'8425add1dab708ca85472db5ce989ba2','{"b0.partials":[32],"b1.place":[1],"b2.partials":[32],"b3.place":[0],"b4.rows":[1],"b4.width":[64]}','choose numbers(0, 1) texts("b1.place", "place") gives(1)
computeInline blocks(#1)
choose numbers(0, 1) texts("b3.place", "place") gives(0)
loops blocks(#4) gives(0, 1)
choose numbers(1) texts("b4.rows") gives(1)
loops blocks(#0) gives(2, 3, 4)
choose numbers(16, 32, 64) texts("b0.partials") gives(32)
split loops(4) numbers(-1, $b0.partials) gives(5, 6)
rfactor loops(6) numbers(-1) makes(#5)
loops blocks(#2) gives(7, 8, 9)
choose numbers(16, 32, 64) texts("b2.partials") gives(32)
split loops(9) numbers(-1, $b2.partials) gives(10, 11)
rfactor loops(11) numbers(-1) makes(#6)
computeAt blocks(#3) loops(0)
computeAt blocks(#2) loops(0)
computeAt blocks(#6) loops(0)
computeAt blocks(#0) loops(0)
computeAt blocks(#5) loops(0)
setScope blocks(#5) numbers(0) texts("local")
setScope blocks(#0) numbers(0) texts("local")
setScope blocks(#6) numbers(0) texts("local")
setScope blocks(#2) numbers(0) texts("local")
setScope blocks(#3) numbers(0) texts("local")
setScope blocks(#5) numbers(0) texts("local")
loops blocks(#5) gives(0, 12, 13, 14, 15)
reorder loops(15, 14)
decomposeReduction blocks(#5) loops(15) makes(#7)
vectorize loops(14)
loops blocks(#7) gives(0, 12, 13, 16)
vectorize loops(16)
loops blocks(#0) gives(0, 17, 18, 19)
decomposeReduction blocks(#0) loops(19) makes(#8)
vectorize loops(19)
setScope blocks(#6) numbers(0) texts("local")
loops blocks(#6) gives(0, 20, 21, 22, 23)
reorder loops(23, 22)
decomposeReduction blocks(#6) loops(23) makes(#9)
vectorize loops(22)
loops blocks(#9) gives(0, 20, 21, 24)
vectorize loops(24)
loops blocks(#2) gives(0, 25, 26, 27)
decomposeReduction blocks(#2) loops(27) makes(#10)
vectorize loops(27)
choose numbers(16, 32, 64) texts("b4.width") gives(64)
split loops(1) numbers(-1, $b4.width) gives(28, 29)
vectorize loops(29)
loops blocks(#3) gives(0, 30, 31)
parallel loops(0)
','random','',1,'measured','',1.62617511520737334507e-01,0.81,0.815,0.817,1,0.5,12.0,0.25);
INSERT INTO "trial" VALUES(3,1,2,'488bd79614d06d761cc48a2507287e1a','{"b0.partials":[32],"b1.place":[1],"b2.partials":[32],"b3.place":[1],"b4.rows":[1],"b4.width":[64]}','choose numbers(0, 1) texts("b1.place", "place") gives(1)
computeInline blocks(#1)
choose numbers(0, 1) texts("b3.place", "place") gives(1)
computeInline blocks(#3)
loops blocks(#4) gives(0, 1)
choose numbers(1) texts("b4.rows") gives(1)
loops blocks(#0) gives(2, 3, 4)
choose numbers(16, 32, 64) texts("b0.partials") gives(32)
split loops(4) numbers(-1, $b0.partials) gives(5, 6)
rfactor loops(6) numbers(-1) makes(#5)
loops blocks(#2) gives(7, 8, 9)
choose numbers(16, 32, 64) texts("b2.partials") gives(32)
split loops(9) numbers(-1, $b2.partials) gives(10, 11)
rfactor loops(11) numbers(-1) makes(#6)
computeAt blocks(#2) loops(0)
computeAt blocks(#6) loops(0)
computeAt blocks(#0) loops(0)
computeAt blocks(#5) loops(0)
setScope blocks(#5) numbers(0) texts("local")
setScope blocks(#0) numbers(0) texts("local")
setScope blocks(#6) numbers(0) texts("local")
setScope blocks(#2) numbers(0) texts("local")
setScope blocks(#5) numbers(0) texts("local")
loops blocks(#5) gives(0, 12, 13, 14, 15)
reorder loops(15, 14)
decomposeReduction blocks(#5) loops(15) makes(#7)
vectorize loops(14)
loops blocks(#7) gives(0, 12, 13, 16)
vectorize loops(16)
loops blocks(#0) gives(0, 17, 18, 19)
decomposeReduction blocks(#0) loops(19) makes(#8)
vectorize loops(19)
setScope blocks(#6) numbers(0) texts("local")
loops blocks(#6) gives(0, 20, 21, 22, 23)
reorder loops(23, 22)
decomposeReduction blocks(#6) loops(23) makes(#9)
vectorize loops(22)
loops blocks(#9) gives(0, 20, 21, 24)
vectorize loops(24)
loops blocks(#2) gives(0, 25, 26, 27)
decomposeReduction blocks(#2) loops(27) makes(#10)
vectorize loops(27)
choose numbers(16, 32, 64) texts("b4.width") gives(64)
split loops(1) numbers(-1, $b4.width) gives(28, 29)
vectorize loops(29)
parallel loops(0)
','random','',1,'measured','',1.65690715804394039789e-01,0.8,0.81,0.82,1,1.0,12.0,0.5);
CREATE TABLE workload (id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, family TEXT NOT NULL, target TEXT NOT NULL, kernel TEXT NOT NULL, text TEXT NOT NULL, flops REAL NOT NULL, bytes REAL NOT NULL);
INSERT INTO "workload" VALUES(1,'1b4818a202313c900e351650bf2686f7-fefaede66e93bc4c21830071d998f73d','fc69aad8d516fac4f98e35e90ac06eb9','x86_64-pc-linux-gnu:znver4:-mwaitx,-pku,-rdpru,-wbnoinvd:vector=512,cores=2,l1=32768,l2=1048576,l3=335544320','fused_softmax_1b4818a2','primfunc f(m, m_1) outputs 1 {
  buffer m: float32[2, 128]
  buffer m_1: float32[2, 128]
  allocate m_2: float32[2, 1] workspace
  allocate m_3: float32[2, 128] workspace
  allocate m_4: float32[2, 1] workspace
  allocate m_5: float32[2, 1] workspace
  for v in 2 {
    for v_1 in 1 {
      for v_2 in 128 {
        block b0 {
          iter v_3 spatial 2 = v
          iter v_4 spatial 1 = v_1
          iter v_5 reduce 128 = v_2
          reads m[v_3 for 1, v_5 for 1]
          writes m_2[v_3 for 1, v_4 for 1]
          init {
            m_2[v_3, v_4] = -inf:float32
          }
          m_2[v_3, v_4] = max(m_2[v_3, v_4], m[v_3, v_5])
        }
      }
    }
  }
  for v_6 in 2 {
    for v_7 in 128 {
      block b1 {
        iter v_8 spatial 2 = v_6
        iter v_9 spatial 128 = v_7
        reads m[v_8 for 1, v_9 for 1]
        reads m_2[v_8 for 1, 0 for 1]
        writes m_3[v_8 for 1, v_9 for 1]
        m_3[v_8, v_9] = exp:float32(m[v_8, v_9] - m_2[v_8, 0])
      }
    }
  }
  for v_10 in 2 {
    for v_11 in 1 {
      for v_12 in 128 {
        block b2 {
          iter v_13 spatial 2 = v_10
          iter v_14 spatial 1 = v_11
          iter v_15 reduce 128 = v_12
          reads m_3[v_13 for 1, v_15 for 1]
          writes m_4[v_13 for 1, v_14 for 1]
          init {
            m_4[v_13, v_14] = 0:float32
          }
          m_4[v_13, v_14] = m_4[v_13, v_14] + m_3[v_13, v_15]
        }
      }
    }
  }
  for v_16 in 2 {
    for v_17 in 1 {
      block b3 {
        iter v_18 spatial 2 = v_16
        iter v_19 spatial 1 = v_17
        reads m_4[v_18 for 1, v_19 for 1]
        writes m_5[v_18 for 1, v_19 for 1]
        m_5[v_18, v_19] = 1:float32 / m_4[v_18, v_19]
      }
    }
  }
  for v_20 in 2 {
    for v_21 in 128 {
      block b4 {
        iter v_22 spatial 2 = v_20
        iter v_23 spatial 128 = v_21
        reads m_3[v_22 for 1, v_23 for 1]
        reads m_5[v_22 for 1, 0 for 1]
        writes m_1[v_22 for 1, v_23 for 1]
        m_1[v_22, v_23] = m_3[v_22, v_23] * m_5[v_22, 0]
      }
    }
  }
}
',1282.0,2048.0);
CREATE INDEX task_of_workload ON task (workload);
CREATE INDEX trial_accepted ON trial (task, ratio_high) WHERE accepted = 1;
CREATE VIEW best AS SELECT workload, machine, threads, numerics, trial FROM (SELECT task.workload AS workload, study.machine AS machine, study.threads AS threads, study.numerics AS numerics, trial.id AS trial, row_number() OVER (PARTITION BY task.workload, study.machine, study.threads, study.numerics ORDER BY trial.ratio_high, trial.program, study.uid) AS place FROM trial JOIN task ON task.id = trial.task JOIN study ON study.id = task.study WHERE trial.accepted = 1 AND trial.verdict = 'measured' AND task.in_place = 'kept' AND trial.ratio_high < 1) WHERE place = 1;
PRAGMA application_id = 1281455186;
PRAGMA user_version = 2;
